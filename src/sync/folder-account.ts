import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../errors.ts";
import { deckFile } from "../folder/layout.ts";
import { readYaml } from "../transfer/formats/markdown/front-matter.ts";

/** Names an account in `deckhand.yaml`, which others may read: never by its key. */
export interface FolderAccount {
  /** `local`, or the base URL of a hosted account. */
  readonly service: string;
  /** A hash of the base URL and the key; for the local service the name of its store. Undefined in older folders. */
  readonly hash: string | undefined;
}

/**
 * Refuses to sync a folder with another account than before, which would copy its cards there and, after a sync with
 * the first account again, double them.
 *
 * @param before the account that the folder is synced with; undefined for a new one and an export
 * @param deckIds the decks of the account in use: another key of the same account is known by them
 * @throws UsageError
 */
export async function assertSameAccount(
  root: string,
  before: FolderAccount | undefined,
  now: FolderAccount,
  deckIds: () => Promise<readonly string[]>,
): Promise<void> {
  if (before !== undefined && before.service !== now.service)
    throw new UsageError(`this folder is synced with ${before.service}`, {
      hint: `Use ${before.service === "local" ? "--profile local" : "the profile of that account (--profile)"}, or another folder.`,
    });
  if (before?.hash !== undefined && before.hash === now.hash) return;
  const ids = [...idsOfDecks(root)];
  const known = new Set(ids.length === 0 ? [] : await deckIds());
  if (ids.some((id) => known.has(id))) return;
  if (before?.hash !== undefined)
    throw new UsageError(`this folder is synced with another account of ${before.service}`, {
      hint: "Use the profile of that account (--profile), or another folder.",
    });
  if (ids.length > 0)
    throw new UsageError("the decks of this folder are those of another account", {
      hint: "Use the profile of that account (--profile). To copy the cards into this one, use `deckhand import`.",
    });
}

/** The ids in the `deck.yaml` files of a folder. */
function* idsOfDecks(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !entry.name.startsWith(".")) yield* idsOfDecks(path);
    if (!entry.isFile() || entry.name !== deckFile) continue;
    try {
      const { id } = readYaml(readFileSync(path, "utf8"), path);
      if (typeof id === "string") yield id;
    } catch {
      // The sync reports a file that cannot be read.
    }
  }
}
