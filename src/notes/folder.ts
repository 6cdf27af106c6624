import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { splitSides } from "../cards/sides.ts";
import { fileProblem } from "../files/errors.ts";
import { isMarkdown, markerName } from "../folder/layout.ts";
import { FilesBeside } from "../transfer/formats/beside.ts";
import { splitMatter } from "../transfer/formats/markdown/front-matter.ts";
import { defaultMarks, marksOf } from "../transfer/formats/notes/obsidian-marks.ts";
import { countNotes, type Mark, readNotes } from "../transfer/formats/notes/text.ts";
import { readWholeText } from "../transfer/formats/text.ts";
import type { Skip, SourceReview } from "../transfer/model.ts";
import { at, unlessBroken } from "../transfer/place.ts";
import type { NoteCard } from "./identity.ts";

/** A card as its file has it: kept as JSON in the record of origins. */
export interface FoundCard extends NoteCard {
  /** From 1. */
  readonly line: number;
  readonly content: string;
  readonly tags: readonly string[];
  readonly reverse: boolean;
  /** Its schedule in the file, which it gets when it is seen first. */
  readonly reviews: readonly SourceReview[];
  readonly mark: Mark;
  readonly files: readonly {
    readonly name: string;
    readonly path: string;
    readonly size?: number | undefined;
  }[];
}

export interface FoundFile {
  readonly cards: readonly FoundCard[];
  /** Whether it has the tag of Obsidian's plugin. */
  readonly tagged: boolean;
}

/** A followed folder or file, on the disk. Nothing is ever written into it. */
export class NotesFolder {
  readonly root: string;
  /** Where paths begin: the folder, or that of the file. */
  readonly #base: string;
  readonly #skip: Skip;
  readonly #beside: FilesBeside;
  #marks = defaultMarks;
  /** Whether `sync` keeps cards in it, one a file. */
  readonly #synced: boolean;
  /** Whether the vault says what its cards look like, so that all of its notes may have them. */
  #vault = false;

  private constructor(root: string, skip: Skip) {
    this.root = root;
    // One that is missing, as where it is not mounted, is a folder that cannot be read.
    this.#base = statSync(root, { throwIfNoEntry: false })?.isFile() ? dirname(root) : root;
    this.#skip = skip;
    this.#beside = new FilesBeside(this.#base);
    this.#synced = isSynced(this.#base);
  }

  /** @param skip is told what cannot be read, and what looks like a card and is none */
  static async open(root: string, skip: Skip): Promise<NotesFolder> {
    const folder = new NotesFolder(root, skip);
    const { marks, from } = await marksOf(folder.#base);
    folder.#marks = marks;
    folder.#vault = from !== undefined;
    return folder;
  }

  /** What a reading of all files depends on. */
  get form(): string {
    return JSON.stringify([this.#marks.form, this.#synced]);
  }

  /**
   * The files of notes with what changes when they do. Hidden files and symbolic links are left out.
   *
   * @param unreadable gets the folders and files that cannot be looked into
   */
  list(unreadable: string[]): Map<string, string> {
    const files = new Map<string, string>();
    const add = (path: string) => {
      const { size, mtimeNs, ctimeNs } = statSync(join(this.#base, path), { bigint: true });
      files.set(path, `${size} ${mtimeNs} ${ctimeNs}`);
    };
    const trying = (path: string, look: () => void) => {
      try {
        look();
      } catch (error) {
        this.#skip({ place: path, what: "files that cannot be read", why: fileProblem(error), failed: true });
        unreadable.push(path);
      }
    };
    const walk = (folder: string) => {
      for (const entry of readdirSync(join(this.#base, folder), { withFileTypes: true })) {
        const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
        if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
        if (entry.isDirectory()) trying(path, () => walk(path));
        else if (entry.isFile() && isMarkdown(entry.name)) trying(path, () => add(path));
      }
    };
    if (this.#base === this.root) trying("", () => walk(""));
    else trying(basename(this.root), () => add(basename(this.root)));
    return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Undefined for one that cannot be read. A file that sync keeps as one card has none here. */
  async read(file: string): Promise<FoundFile | undefined> {
    const text = await unlessBroken(file, this.#skip, () =>
      readWholeText(join(this.#base, file), { name: file }),
    );
    if (text === undefined) return undefined;
    const hasId = /^id:[ \t]*\S/m.test(splitMatter(text)?.yaml ?? "");
    if (this.#synced && (hasId || countNotes(text) < 2)) return { cards: [], tagged: false };
    const folderDeck = this.#marks.form.folders ? dirname(file) : undefined;
    const format = this.#vault ? "obsidian" : undefined;
    const { notes, left, tagged } = readNotes(text, { marks: this.#marks, folderDeck, format });
    for (const { line, ...why } of left) this.#skip({ ...why, place: at(file, line) });
    const cards: FoundCard[] = [];
    for (const { line, content: written, tags = [], reverse, reviews, mark } of notes) {
      const place = at(file, line);
      const { text: content, attachments } = await this.#beside.take(
        written,
        dirname(file),
        place,
        this.#skip,
      );
      const files = attachments.map(({ fileName, path = "", size }) => ({ name: fileName, path, size }));
      cards.push({ file, line, sides: splitSides(content), content, tags, reverse, reviews, files, mark });
    }
    return { cards, tagged };
  }
}

function isSynced(folder: string): boolean {
  if (existsSync(join(folder, markerName))) return true;
  return dirname(folder) !== folder && isSynced(dirname(folder));
}
