import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { UsageError } from "../errors.ts";
import { replaceFile } from "../files/atomic-write.ts";
import { readIfThere } from "../files/read-if-there.ts";
import { markerName, privateFolder } from "../folder/layout.ts";
import { PrivateFolder } from "../folder/private.ts";
import { readYaml } from "../transfer/formats/markdown/front-matter.ts";
import { markerText } from "../transfer/formats/markdown/write-files.ts";
import type { FolderAccount } from "./folder-account.ts";
import { writeYamlKeys } from "./matter-key.ts";

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
  if (text === undefined) return { id: undefined, deck: undefined, account: undefined };
  const { id, deck, service, account } = readYaml(text, name);
  const given = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
  const [url, hash] = [given(service), given(account)];
  return {
    id: given(id),
    deck: given(deck),
    account: url === undefined ? undefined : { service: url, hash },
  };
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
