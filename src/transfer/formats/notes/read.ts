import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Skip, Source, SourceCard } from "../../model.ts";
import { at, broken } from "../../place.ts";
import { FilesBeside } from "../beside.ts";
import { DeckTree } from "../deck-tree.ts";
import { splitMatter } from "../markdown/front-matter.ts";
import { readWholeText } from "../text.ts";
import { hashcardsHead, hashcardsNotes } from "./hashcards.ts";
import { type Note, obsidianNotes } from "./obsidian.ts";
import { defaultMarks, marksOf, type ObsidianMarks } from "./obsidian-marks.ts";
import type { NotesFormat } from "./recognise.ts";

/** Notes as people keep them in Obsidian and hashcards: a file, or a folder of files, with any number of cards each. */
export async function openNotes(path: string, name: string, format: NotesFormat): Promise<Source> {
  const isFolder = (await stat(path)).isDirectory();
  const root = isFolder ? path : dirname(path);
  const files = isFolder ? await markdownFiles(path) : [basename(path)];
  const place = (file: string) => (isFolder ? `${name}/${file}` : name);
  const notesIn = async (file: string, skip: Skip = () => {}) => {
    const text = await readWholeText(join(root, file), place(file));
    return format === "hashcards"
      ? [...hashcards(text, file, (line) => skip({ ...unanswered, place: at(place(file), line) }))]
      : [
          ...obsidian(text, {
            file,
            marks,
            missed: (line) => skip({ ...unknownForm, place: at(place(file), line) }),
          }),
        ];
  };
  const { marks, from } = format === "obsidian" ? await marksOf(root) : { marks: defaultMarks };
  const tree = new DeckTree();
  for (const file of files)
    for (const { deck, line } of await notesIn(file)) if (deck) tree.add(deck, at(place(file), line));
  const beside = new FilesBeside(root);
  return {
    format,
    decks: tree.decks,
    templates: [],
    partial: true,
    notes: from !== undefined ? [`Separators and tags are those of ${from}`] : [],
    async *cards(skip): AsyncGenerator<SourceCard> {
      for (const file of files) {
        const notes = await notesIn(file, skip);
        if (notes.length === 0)
          skip({
            place: place(file),
            what: "files",
            why: `there is no card in the form of ${format} in them`,
          });
        for (const note of notes) {
          const from = at(place(file), note.line);
          yield await cardOf(note, { tree, beside, folder: dirname(file), place: from, skip });
        }
      }
    },
    close: async () => {},
  };
}

interface NoteContext {
  readonly tree: DeckTree;
  readonly beside: FilesBeside;
  readonly folder: string;
  readonly place: string;
  readonly skip: Skip;
}

async function cardOf(note: Note, { tree, beside, folder, place, skip }: NoteContext): Promise<SourceCard> {
  const { text, attachments } = await beside.take(note.content, folder, place, skip);
  if (note.moreSchedules > 0)
    skip({
      place,
      what: "schedules",
      why: "they are of further questions of a card, which has the earliest",
      count: note.moreSchedules,
    });
  return {
    ...(note.deck ? { deck: tree.add(note.deck, place) } : {}),
    body: {
      content: text,
      ...(note.tags?.length ? { "manual-tags": note.tags } : {}),
      ...(note.reverse ? { "review-reverse?": true } : {}),
    },
    ...(note.reviews.length > 0 ? { reviews: note.reviews } : {}),
    ...(attachments.length > 0 ? { attachments } : {}),
    place,
  };
}

const unknownForm = {
  what: "questions with a schedule",
  why: "what separates question and answer is none of ::, :::, ? and ??",
};

const unanswered = { what: "questions without an answer", why: "their A: is missing or blank" };

function* obsidian(
  text: string,
  { file, marks, missed }: { file: string; marks: ObsidianMarks; missed: (line: number) => void },
): Generator<Note> {
  const matter = splitMatter(text);
  const folder = marks.form.folders ? dirname(file).replace(/^\.$/, "") : undefined;
  const fileDeck = folder ?? marks.deckIn(matter?.yaml ?? "");
  yield* obsidianNotes(matter?.content ?? text, { marks, firstLine: matter?.line ?? 1, fileDeck, missed });
}

function* hashcards(text: string, file: string, missed: (line: number) => void): Generator<Note> {
  const { name, length, lines } = hashcardsHead(text);
  const deck = name ?? file.replace(/\.[^./]*$/, "");
  for (const note of hashcardsNotes(text.slice(length), lines + 1, missed)) yield { ...note, deck };
}

/** Relative to the root, in the order of their names; hidden files and links are left out. */
async function markdownFiles(root: string, folder = ""): Promise<string[]> {
  const files: string[] = [];
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) files.push(...(await markdownFiles(root, path)));
    else if (entry.isFile() && /\.(?:md|markdown)$/i.test(entry.name)) files.push(path);
  }
  if (folder === "" && files.length === 0) throw broken(root, "there are no markdown files in it");
  return files;
}
