import { forbidden } from "../errors.ts";
import type { Limits, Problems } from "../route.ts";
import { storedBytes } from "../store/accounts.ts";
import type { Db } from "../store/tables.ts";

/** @throws Problem 403 if the attachments of the account are larger than they may be */
export async function refuseMoreStorage(db: Db, account: string, { storage }: Limits): Promise<void> {
  if (storage !== Number.POSITIVE_INFINITY && (await storedBytes(db, account)) > storage)
    throw forbidden(`the attachments of this account may have at most ${storage} bytes`);
}

// In bytes of JSON. Bookmarks have the places of lists, and have to fit into the head of a request.
const longestPosition = 8_000;

/** The problem of a position that bookmarks cannot carry. */
export const positionProblem = ({ pos }: { readonly pos?: string | undefined }): Problems =>
  pos !== undefined &&
  (pos.length > longestPosition || Buffer.byteLength(JSON.stringify(pos)) > longestPosition)
    ? { pos: `is too long (at most ${longestPosition} bytes)` }
    : {};
