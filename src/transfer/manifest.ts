import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../errors.ts";
import { readLines } from "../files/lines.ts";
import { privateFolder } from "../folder/layout.ts";
import { isMap } from "../schema/index.ts";

/**
 * What was written into a folder of markdown: a line of JSON for each file, below a line that says from where. Only what
 * it lists is ever removed (docs/design/cards.md, Manifest).
 */
export const manifestName = "manifest.ndjson";

export interface ManifestEntry {
  /** Relative to the root of the folder, with `/`. */
  readonly path: string;
  /** Of the card, deck or template; of an attachment, that of its card. */
  readonly id?: string | undefined;
  /** SHA-256 of the bytes, in hex. */
  readonly hash: string;
  /** Of a card: `hashOfDocument` of the document that was written, to see later whether the service's changed. */
  readonly card?: string | undefined;
}

export interface ManifestHeader {
  readonly account: string;
  /** The id of the deck that was exported; undefined for everything. */
  readonly deck?: string | undefined;
}

/** A line of a manifest. */
export const manifestLine = (value: ManifestEntry | ManifestHeader): string =>
  `${JSON.stringify("path" in value ? value : { manifest: "deckhand", version: 1, ...value })}\n`;

/**
 * Reads the manifest of a folder. A line that cannot be read lists nothing.
 *
 * @param list receives each file that is listed; of two entries with one path the later one counts
 * @returns undefined where the folder has none
 * @throws UsageError where a link would lead out of the folder
 */
export async function readManifest(
  root: string,
  list: (entry: ManifestEntry) => void,
): Promise<ManifestHeader | undefined> {
  const file = join(root, privateFolder, manifestName);
  for (const path of [join(root, privateFolder), file])
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new UsageError(`${path} is a link`, { hint: "Remove it, and run this again." });
  let header: ManifestHeader | undefined;
  if (!existsSync(file)) return undefined;
  for await (const { bytes } of readLines(file)) {
    const { path, hash, id, card, account, deck } = parsed(bytes.toString("utf8"));
    if (typeof account === "string") header = { account, ...(typeof deck === "string" ? { deck } : {}) };
    if (typeof path !== "string" || typeof hash !== "string" || !isBelow(path)) continue;
    list({
      ...{ path, hash },
      ...(typeof id === "string" ? { id } : {}),
      ...(typeof card === "string" ? { card } : {}),
    });
  }
  return header;
}

/** Whether a path leads below the root, on any system: a manifest may come with a folder from elsewhere. */
const isBelow = (path: string): boolean =>
  !/^[/\\]|^[A-Za-z]:|[\0]/.test(path) &&
  !path.split(/[/\\]/).some((part) => part === ".." || part === "." || part === "");

function parsed(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    return isMap(value) ? value : {};
  } catch {
    return {};
  }
}
