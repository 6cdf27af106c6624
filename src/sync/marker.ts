import { randomBytes } from "node:crypto";
import { type Dirent, existsSync, lstatSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { UsageError } from "../errors.ts";
import { replaceFile } from "../files/atomic-write.ts";
import { readIfThere } from "../files/read-if-there.ts";
import { deckFile, ignoreFile, ignorePatterns, markerName, privateFolder } from "../folder/layout.ts";
import { PrivateFolder } from "../folder/private.ts";
import { readYaml } from "../transfer/formats/markdown/front-matter.ts";
import { isSynced } from "../transfer/formats/markdown/sync-marker.ts";
import { markerText } from "../transfer/formats/markdown/write-files.ts";
import { writeYamlKeys } from "./matter-key.ts";

/** Names an account in `deckhand.yaml`, which others may read: never by its key. */
export interface FolderAccount {
  /** `local`, or the base URL of a hosted account. */
  readonly service: string;
  /** A hash of the base URL and the key; for the local service the name of its store. Undefined in older folders. */
  readonly hash: string | undefined;
}

/** What `deckhand.yaml` says of a synced folder. */
interface Marker {
  /** Names the folder; undefined until it is synced first. */
  readonly id: string | undefined;
  readonly deck: string | undefined;
  /** The account that it is synced with. */
  readonly account: FolderAccount | undefined;
}

/**
 * @throws UsageError for a folder that was synced and whose `deckhand.yaml` is gone, as in a checkout of a commit before
 * its first sync: its cards would be taken for new ones, and those that the commit lacks for removed ones
 */
export function readMarker(root: string): Marker {
  const marker = parseMarker(readIfThere(join(root, markerName)), markerName);
  const copy = `${privateFolder}/${markerName}`;
  if (marker.id !== undefined || parseMarker(readIfThere(join(root, copy)), copy).id === undefined)
    return marker;
  throw new UsageError(
    `this folder was synced before, and its ${markerName} is missing: is it an old checkout?`,
    {
      hint: `Check out a newer commit, or copy ${copy} here to go on. To sync as a new folder, remove ${privateFolder}.`,
    },
  );
}

function parseMarker(text: string | undefined, name: string): Marker {
  const values = text === undefined ? {} : readYaml(text, name);
  const given = (key: string) => {
    const value = values[key];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const service = given("service");
  const account = service === undefined ? undefined : { service, hash: given("account") };
  return { id: given("id"), deck: given("deck"), account };
}

type SettledMarker = Marker & { readonly id: string; readonly account: FolderAccount };

/** The marker of a folder with what was asked for; a folder is always synced in the way in which it was first. */
export function settleMarker(
  before: Marker,
  asked: { readonly deck: string | undefined; readonly account: FolderAccount },
): SettledMarker {
  if (before.id !== undefined && asked.deck !== undefined && asked.deck !== before.deck)
    throw new UsageError(
      `this folder is synced with ${before.deck === undefined ? "all decks" : `the deck ${before.deck}`}`,
      { hint: "Use another folder for another deck." },
    );
  return {
    id: before.id ?? randomBytes(9).toString("base64url"),
    deck: asked.deck ?? before.deck,
    // Several machines may use keys of their own for one account: the first one's remains.
    account: before.account?.hash === undefined ? asked.account : before.account,
  };
}

export function writeMarker(root: string, marker: SettledMarker): void {
  const path = join(root, markerName);
  const { id, account } = marker;
  const { service, hash } = account;
  const keys = { id, service, ...(hash === undefined ? {} : { account: hash }) };
  const text = writeYamlKeys(readIfThere(path) ?? markerText(marker.deck), keys);
  replaceFile(path, text, { synced: true });
  new PrivateFolder(root, "").write(markerName, text);
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
  const ids = idsOfDecks(root);
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
function idsOfDecks(root: string): string[] {
  return [root, ...foldersBelow(root)].flatMap((folder) => {
    const path = join(folder, deckFile);
    try {
      if (!lstatSync(path).isFile()) return [];
      const { id } = readYaml(readFileSync(path, "utf8"), path);
      return typeof id === "string" ? id : [];
    } catch {
      return []; // The sync reports a file that cannot be read.
    }
  });
}

/**
 * Refuses the first sync of a folder that is part of a synced one, or that has one in it: each card would have a file
 * in both, and each of the two syncs would move decks for the other. A folder that is synced already is not refused.
 *
 * @param name the folder, which need not exist
 * @throws UsageError
 */
export function assertNotNested(name: string): void {
  const [path, parent] = [resolve(name), dirname(resolve(name))];
  const root = existsSync(path)
    ? realpathSync(path)
    : join(existsSync(parent) ? realpathSync(parent) : parent, basename(path));
  if (isSynced(root)) return;
  for (let above = dirname(root), below = root; above !== below; below = above, above = dirname(above))
    if (isSynced(above) && isPart(above)(root))
      throw new UsageError(`${root} is part of ${above}, which is synced`, {
        hint: `Sync ${above}, or name a folder outside of it.`,
      });
  const isRead = isPart(root);
  const inner = [...foldersBelow(root, (path) => !isRead(path))].find(isSynced);
  if (inner === undefined) return;
  throw new UsageError(`${inner}, which is in ${root}, is synced by itself`, {
    hint: `To leave it out, add the line /${pathIn(root, inner)}/ to ${join(root, ignoreFile)}.`,
  });
}

const pathIn = (root: string, path: string) => relative(root, path).split(sep).join("/");

/** Whether a sync of a folder reads another below it. */
function isPart(root: string): (folder: string) => boolean {
  const isIgnored = ignorePatterns(readIfThere(join(root, ignoreFile)) ?? "");
  return (folder) => {
    const path = pathIn(root, folder);
    return !path.split("/").some((part) => part.startsWith(".")) && !isIgnored(path);
  };
}

/** The folders below one, but for links, hidden ones, those that are left out, and what is in these. */
function* foldersBelow(folder: string, leavesOut = (_: string) => false): Generator<string> {
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory() || entry.name.startsWith(".") || leavesOut(path)) continue;
    yield path;
    yield* foldersBelow(path, leavesOut);
  }
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // The sync reports a folder that cannot be read.
  }
}
