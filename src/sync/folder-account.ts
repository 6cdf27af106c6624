import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../errors.ts";
import { readYaml } from "../transfer/formats/markdown/front-matter.ts";
import { deckFile } from "./layout.ts";

/** Names an account in `deckhand.yaml`, which others may read: never by its key. */
export interface FolderAccount {
  /** `local`, or the base URL of a hosted account. */
  readonly service: string;
  /** A hash of the base URL and the key; undefined for the local service. */
  readonly hash: string | undefined;
}

/**
 * Refuses to sync a folder with another account than before, which would copy its cards there and, after a sync with
 * the first account again, double them.
 *
 * @param before the account that the folder is synced with; undefined for a new one
 * @param deckIds the decks of the account in use: another key of the same account is known by them
 * @throws UsageError
 */
export async function assertSameAccount(
  root: string,
  before: FolderAccount | undefined,
  now: FolderAccount,
  deckIds: () => Promise<readonly string[]>,
): Promise<void> {
  if (before === undefined) return;
  const isLocal = before.service === "local";
  if (before.service !== now.service)
    throw new UsageError(`this folder is synced with ${before.service}`, {
      hint: `Use ${isLocal ? "--profile local" : "the profile of that account (--profile)"}, or another folder.`,
    });
  if (before.hash === now.hash) return;
  const known = new Set(await deckIds());
  for (const id of idsOfDecks(root)) if (known.has(id)) return;
  throw new UsageError(`this folder is synced with another account of ${before.service}`, {
    hint: "Use the profile of that account (--profile), or another folder.",
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
