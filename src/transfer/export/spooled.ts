import { statSync } from "node:fs";
import { join } from "node:path";

/** A file of a card, as it lies in the spool. */
export interface SpooledFile {
  readonly "card-id": string;
  readonly "file-name": string;
  readonly size?: number | undefined;
  readonly type?: string | undefined;
  /** Its name in the folder `files`; undefined if the service would not give it. */
  readonly file?: string | undefined;
  /** Why there is none. */
  readonly missing?: string | undefined;
  /** Whether it would be there if the service did not fail. */
  readonly failed?: true;
}

export const filePath = (folder: string, name: string): string => join(folder, "files", name);

/** Whether the bytes of a file are all there: after a power cut they may be fewer than were written. */
export const isWhole = ({ file, size }: SpooledFile, folder: string): boolean =>
  file === undefined || statSync(filePath(folder, file), { throwIfNoEntry: false })?.size === size;

export const parts = ["decks", "templates", "cards", "attachments"] as const;
export type Part = (typeof parts)[number];

/** How far a part has come. */
export interface Progress {
  readonly part: Part;
  /** Bytes of the part's file that are good. */
  readonly bytes: number;
  readonly count: number;
  /** Where the list goes on; with several lists, which one it is. */
  readonly bookmark?: string | undefined;
  readonly list?: number | undefined;
  readonly done?: true;
}

/** What is remembered of cards, whatever form they are spooled in. */
export interface CardFacts {
  readonly ids: readonly string[];
  readonly templates: readonly string[];
  /** Files that the cards name: id and file name. */
  readonly mentions: readonly (readonly [card: string, fileName: string])[];
}

/** A document as it lies in the spool, and in an export as ndjson: without the line break. */
export const spoolLine = (part: Part, document: unknown): string =>
  `{"${keys[part]}":${JSON.stringify(document)}}`;

export const documentOf = <T>(part: Part, line: string): T =>
  (JSON.parse(line) as Readonly<Record<string, T>>)[keys[part]] as T;

const keys: Readonly<Record<Part, string>> = {
  decks: "deck",
  templates: "template",
  cards: "card",
  attachments: "attachment",
};

/** The files by their cards. */
export async function filesByCard(
  files: AsyncIterable<SpooledFile>,
): Promise<ReadonlyMap<string, readonly SpooledFile[]>> {
  const found = new Map<string, SpooledFile[]>();
  for await (const file of files) {
    const known = found.get(file["card-id"]);
    if (known === undefined) found.set(file["card-id"], [file]);
    else known.push(file);
  }
  return found;
}

/** Cards that were fetched longer ago may have been deleted meanwhile. In ms. */
const longestRest = 24 * 60 * 60 * 1000;

/** Whether the last entry of a file is older than what may be gone on from. @param now epoch milliseconds */
export function isStale(path: string, now: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && now - found.mtimeMs > longestRest;
}
