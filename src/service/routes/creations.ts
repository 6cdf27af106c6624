import { hash } from "node:crypto";
import { isNewId, unusedId } from "../../schema/index.ts";
import { conflict } from "../errors.ts";
import { type Call, type Draft, type Problems, type Service, type WritingRoute, writing } from "../route.ts";
import { exists, insertCreation, type Rows, rowById, standingOfId } from "../store/documents.ts";
import type { Db, DocumentTable } from "../store/tables.ts";

type Answer = { readonly headers: () => Readonly<Record<string, string>> } & (
  | { readonly document: unknown }
  | { readonly json: string }
);

/** What one kind of document needs besides to be created. */
interface Creation<O extends CreateId, T extends DocumentTable> {
  problems(draft: Draft<O>, db: Db): Promise<Problems>;
  /** @param id of the new row; that of the body is not part of the document */
  insert(call: Call<O>, db: Db, id: string, service: Service): Promise<Answer>;
  answerOf(row: Rows[T]): Answer;
}
type CreateId = "cards.create" | "decks.create" | "templates.create";

/**
 * A route that creates. The body may carry the id (extension ids): then the same creation again changes nothing, and answers
 * what is there by now.
 */
export function creating<O extends CreateId, T extends DocumentTable>(
  operation: O,
  table: T,
  { problems, insert, answerOf }: Creation<O, T>,
): WritingRoute<O> {
  return writing<O, { readonly own?: string; readonly isDone?: boolean }>({
    /** @throws Problem 409 if something else has the id */
    async find(draft, db) {
      const { id } = idIn(draft);
      if (id === undefined || draft.problems !== undefined) return {};
      const own = hash("sha256", JSON.stringify([operation, draft.body]), "base64url").slice(0, 22);
      const { hash: found, isTaken } = await standingOfId(db, table, draft.account, id);
      const isDone = found === own;
      if (!isDone && (found !== undefined || isTaken))
        throw conflict("something else has this id: choose another");
      return { own, isDone };
    },
    problems: async (draft, db, { isDone }) =>
      isDone ? {} : { ...(await problems(draft, db)), ...idProblem(idIn(draft)) },
    async handle(call, db, { own, isDone }, service) {
      const { account } = call;
      const id = idIn(call).id ?? (await unusedId(service.random, (one) => exists(db, table, account, one)));
      if (isDone) {
        const there = await rowById(db, table, account, id);
        return there && { ...answerOf(there), before: true };
      }
      if (own !== undefined) await insertCreation(db, account, id, own);
      return insert(call, db, id, service);
    },
  });
}

const idIn = ({ body }: { readonly body: object }) => body as { readonly id?: string };

/** The problem of an id that a client has chosen. */
const idProblem = ({ id }: { readonly id?: string | undefined }): Problems =>
  id === undefined || isNewId(id) ? {} : { id: "must be 8 letters and digits" };

// In bytes of JSON. Bookmarks have the places of lists, and have to fit into the head of a request.
const longestPosition = 8_000;

/** The problem of a position that bookmarks cannot carry. */
export const positionProblem = ({ pos }: { readonly pos?: string | undefined }): Problems =>
  pos !== undefined &&
  (pos.length > longestPosition || Buffer.byteLength(JSON.stringify(pos)) > longestPosition)
    ? { pos: `is too long (at most ${longestPosition} bytes)` }
    : {};
