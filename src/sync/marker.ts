import { randomBytes } from "node:crypto";
import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../errors.ts";
import { replaceFile } from "../files/atomic-write.ts";
import { readIfThere } from "../files/read-if-there.ts";
import { deckFile, markerName, privateFolder } from "../folder/layout.ts";
import { PrivateFolder } from "../folder/private.ts";
import { readYaml } from "../transfer/formats/markdown/front-matter.ts";
import { markerText } from "../transfer/formats/markdown/write-files.ts";
import { writeYamlKeys } from "./matter-key.ts";
import { foldersBelow } from "./nested.ts";

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
