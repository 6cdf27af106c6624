import { readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { documentOfBody } from "../cards/document.ts";
import { DeckhandError } from "../errors.ts";
import { fileProblem } from "../files/errors.ts";
import type { Stat } from "../folder/stat.ts";
import { hashOfBytes } from "../folder/stat.ts";
import type { FilesBeside } from "../transfer/formats/beside.ts";
import { readCardFile } from "../transfer/formats/markdown/card-file.ts";
import { countNotes } from "../transfer/formats/notes/text.ts";
import { refOf, withPlainEnds } from "./doc.ts";
import { hasMarkers, markersIn, sideOf } from "./merge.ts";
import type { State } from "./state.ts";
import { isMissing } from "./steady-scan.ts";
import type { FileCard, Preference } from "./types.ts";

export interface CardReadOptions {
  readonly state: State;
  /** The id of the template that a file names, by its name or id. */
  template(name: string): string | null;
  /** Whether the service has a card, or had it at the last sync. */
  hasCard(id: string): boolean;
  /** Whether a file without an id is one card also where several are marked in it. */
  readonly wholeFiles?: boolean | undefined;
  /** The side that files get in which a sync wrote conflicts. */
  readonly prefer?: Preference | undefined;
  /** Finds the pictures that a note embeds. */
  readonly beside: FilesBeside;
}

interface ScannedFile {
  readonly path: string;
  /** The key of the deck of its folder. */
  readonly deck: string | null;
  readonly stat: Stat;
  /** Why the cards of its folder are not synced. */
  readonly problem: string | undefined;
}

/** The problem of a file without an id that says nothing. */
export const emptyFile = "it is empty";
/** The problem of a note with an id that the user gave it, or that is of a card which does not exist here. */
export const ownId =
  "no card here has the id in its front matter: remove it to create a card, or rename the key if the id is your own";
/** The problem of a file without an id in which several cards are marked: `deckhand review` learns from it. */
export const severalCards = "several cards are marked in it";
const markedFile = { problem: "it has conflict markers", marked: true };

/** Reads the file of a card. */
export async function readFileCard(
  root: string,
  file: ScannedFile,
  options: CardReadOptions,
): Promise<FileCard> {
  const { path, stat } = file;
  let bytes: Buffer;
  try {
    bytes = readFileSync(join(root, path));
  } catch (error) {
    if (isMissing(error)) throw error;
    const problem = fileProblem(error);
    return { path, ...stat, id: undefined, idMissing: false, hash: "", doc: undefined, problem };
  }
  return { ...stat, ...(await parse(root, bytes, file, options)), path, hash: hashOfBytes(bytes) };
}

async function parse(
  root: string,
  bytes: Buffer,
  { path, deck, problem }: ScannedFile,
  options: CardReadOptions,
) {
  let text = "";
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const read = await readCardFile(text, path, () => {});
    const id = read.writtenId !== undefined && options.hasCard(read.writtenId) ? read.writtenId : undefined;
    const agreed = id === undefined ? undefined : options.state.card(id)?.doc.read();
    const template = read.template === undefined ? null : options.template(read.template);
    const place = { deck, template, pos: agreed?.pos ?? null };
    const { body } = read.card;
    const linked = await options.beside.take(body.content, dirname(path), path, () => {});
    const embeds = linked.attachments.map(({ fileName, place: full }) => ({
      ...{ name: fileName, path: relative(root, full).split(sep).join("/") },
    }));
    const doc = withPlainEnds(documentOfBody({ ...body, content: linked.text }, place));
    const found = { id, idMissing: false, doc: refOf(doc), embeds };
    if (id === undefined && read.writtenId !== undefined) return { ...found, doc: undefined, problem: ownId };
    if (problem !== undefined) return { ...found, doc: undefined, problem };
    if (hasMarkers(doc, agreed)) {
      const chosen = options.prefer && sideOf(doc, options.prefer, agreed);
      if (chosen === undefined) return { ...found, doc: undefined, ...markedFile };
      return { ...found, doc: refOf(chosen), idMissing: true, marked: true };
    }
    if (id === undefined && doc.content.trim() === "" && Object.keys(doc.fields).length === 0)
      return { ...found, doc: undefined, problem: emptyFile };
    if (id === undefined && !options.wholeFiles && countNotes(text) > 1)
      return { ...found, doc: undefined, problem: severalCards };
    return found;
  } catch (error) {
    const id = /^id:[ \t]*["']?([\w-]+)["']?[ \t]*$/m.exec(text)?.[1];
    const said = error instanceof DeckhandError ? error.message : "it is not UTF-8 text";
    // The path is named before it.
    const problem = said.startsWith(path) ? said.slice(path.length).replace(/^[:,] /, "") : said;
    return { id, idMissing: false, doc: undefined, ...(markersIn(text) > 0 ? markedFile : { problem }) };
  }
}
