import { createHash } from "node:crypto";
import { isNewId, type OperationId, type RandomBytes, unusedId } from "../../schema/index.ts";
import { conflict } from "../errors.ts";
import type { Draft, Problems } from "../route.ts";
import { creationHash, insertCreation } from "../store/creations.ts";
import { type DocumentTable, exists } from "../store/documents.ts";
import type { Db } from "../store/tables.ts";

/** A creation, which may carry the id of what it creates (extension ids). */
export interface Creation {
  /** The id of what was created, where the same creation was carried out before. */
  readonly before: string | undefined;
  /** The id to create under, which is recorded. */
  begin(): Promise<string>;
}

/** @throws Problem 409 if something else has the id */
export async function creationOf<O extends "cards.create" | "decks.create" | "templates.create">(
  operation: O & OperationId,
  { account, body, problems }: Draft<O>,
  db: Db,
  table: DocumentTable,
  random: RandomBytes,
): Promise<Creation> {
  const { id } = body as { readonly id?: string };
  if (id === undefined || problems !== undefined)
    return {
      before: undefined,
      begin: () => unusedId(random, (one) => exists(db, table, account, one)),
    };
  const hash = createHash("sha256")
    .update(JSON.stringify([operation, body]))
    .digest("base64url")
    .slice(0, 22);
  const found = await creationHash(db, account, id);
  const isSame = found === hash;
  if (!isSame && (found !== undefined || (await exists(db, table, account, id))))
    throw conflict("something else has this id: choose another");
  return {
    before: isSame ? id : undefined,
    async begin() {
      await insertCreation(db, account, id, hash);
      return id;
    },
  };
}

/** The problem of an id that a client has chosen. */
export const idProblem = ({ id }: { readonly id?: string | undefined }): Problems =>
  id === undefined || isNewId(id) ? {} : { id: "must be 8 letters and digits" };
