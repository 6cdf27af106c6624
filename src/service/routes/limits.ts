import { forbidden } from "../errors.ts";
import type { Limits } from "../route.ts";
import { countDocuments, storedBytes } from "../store/accounts.ts";
import type { Db } from "../store/tables.ts";

/** @throws Problem 403 if the account has as many documents as it may have */
export async function refuseMoreDocuments(db: Db, account: string, { documents }: Limits): Promise<void> {
  if (documents !== Number.POSITIVE_INFINITY && (await countDocuments(db, account)) >= documents)
    throw forbidden(`this account may have at most ${documents} cards, decks and templates`);
}

/** @throws Problem 403 if the attachments of the account are larger than they may be */
export async function refuseMoreStorage(db: Db, account: string, { storage }: Limits): Promise<void> {
  if (storage !== Number.POSITIVE_INFINITY && (await storedBytes(db, account)) > storage)
    throw forbidden(`the attachments of this account may have at most ${storage} bytes`);
}
