import { hash } from "node:crypto";
import { isNewId, type OperationId, type RandomBytes, unusedId } from "../../schema/index.ts";
import { conflict } from "../errors.ts";
import type { Draft, Problems } from "../route.ts";
import { exists, insertCreation, standingOfId } from "../store/documents.ts";
import type { Db, DocumentTable } from "../store/tables.ts";

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
  const own = hash("sha256", JSON.stringify([operation, body]), "base64url").slice(0, 22);
  const { hash: found, isTaken } = await standingOfId(db, table, account, id);
  const isSame = found === own;
  if (!isSame && (found !== undefined || isTaken))
    throw conflict("something else has this id: choose another");
  return {
    before: isSame ? id : undefined,
    async begin() {
      await insertCreation(db, account, id, own);
      return id;
    },
  };
}

/** The problem of an id that a client has chosen. */
export const idProblem = ({ id }: { readonly id?: string | undefined }): Problems =>
  id === undefined || isNewId(id) ? {} : { id: "must be 8 letters and digits" };

// In bytes of JSON. Bookmarks have the places of lists, and have to fit into the head of a request.
const longestPosition = 8_000;

/** The problem of a position that bookmarks cannot carry. */
export const positionProblem = ({ pos }: { readonly pos?: string | undefined }): Problems =>
  pos !== undefined &&
  (pos.length > longestPosition || Buffer.byteLength(JSON.stringify(pos)) > longestPosition)
    ? { pos: `is too long (at most ${longestPosition} bytes)` }
    : {};
