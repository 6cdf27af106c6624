import { appendFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { splitSides } from "../../../cards/index.ts";
import { FenceScan } from "../../../cards/sides.ts";
import { safeName } from "../../../files/safe-names.ts";
import { makeTemporaryFolder } from "../../../files/temporary.ts";
import type { Card, Template } from "../../../schema/index.ts";
import type { Collection } from "../../export/collection.ts";
import type { ExportFolder } from "../../export/folder.ts";
import { cardsWithoutDeck } from "../../model.ts";
import { adaptedToObsidian } from "./adapted.ts";
import { asQuestion } from "./deletions.ts";
import { hashcardsNote } from "./hashcards-write.ts";
import { obsidianDeck, obsidianNote } from "./obsidian-write.ts";
import type { NotesFormat } from "./recognise.ts";
import { NotesMedia } from "./write-media.ts";

/** A file of notes for each deck, in the form of Obsidian's Spaced Repetition or of hashcards; pictures in `media`. */
export async function writeNotes(
  collection: Collection,
  folder: ExportFolder,
  format: NotesFormat,
): Promise<void> {
  const temporary = await makeTemporaryFolder("deckhand-");
  try {
    const texts = new DeckTexts(temporary, (deck) => headOf(deck, format, collection));
    await writeCards(collection, folder, format, (deck, text) => texts.add(deck, text));
    const used = new Set<string>();
    for (const [deck, file] of texts.finish()) await folder.copy(freePath(deck, used), file);
    await folder.finish();
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function writeCards(
  collection: Collection,
  folder: ExportFolder,
  format: NotesFormat,
  write: (deck: string, text: string) => void,
): Promise<void> {
  const paths = await collection.deckPaths();
  const templates = new Map(collection.allTemplates.map((template) => [template.id, template]));
  const media = new NotesMedia(collection, folder);
  const note = format === "obsidian" ? obsidianNote : hashcardsNote;
  for await (const exported of collection.eachCard({ trash: false })) {
    const { sides, filled } = await sidesOf(exported.card, templates);
    const asked = asQuestion(sides.map(closed), format === "obsidian" ? "==" : "**");
    const isEmpty = asked.sides[0]?.trim() === "";
    const linked = isEmpty ? [] : await media.add(exported, asked.sides);
    const { text, adapted } = await note(exported, { sides: linked, filled, beside: asked.changed });
    if (text === undefined) {
      const what = isEmpty ? "cards with an empty first side" : "cards with one side and no deletion";
      collection.losses.leaveOutCard(what);
      continue;
    }
    for (const each of adapted) collection.losses.adapt(each);
    write(paths.get(exported.card["deck-id"] ?? "") ?? cardsWithoutDeck, text);
  }
}

/** Characters of all decks together that are kept until they are written. */
const mostKept = 1024 * 1024;

/** The text of each deck in a temporary file: cards do not come deck by deck. */
class DeckTexts {
  readonly #folder: string;
  readonly #headOf: (deck: string) => string;
  /** The file of each deck, in the order of their first cards. */
  readonly #files = new Map<string, string>();
  #kept = new Map<string, string[]>();
  #length = 0;

  constructor(folder: string, headOf: (deck: string) => string) {
    this.#folder = folder;
    this.#headOf = headOf;
  }

  add(deck: string, card: string): void {
    const isFirst = !this.#files.has(deck);
    if (isFirst) this.#files.set(deck, join(this.#folder, String(this.#files.size)));
    this.#keep(deck, `${isFirst ? `${this.#headOf(deck)}\n` : "\n\n"}${card}`);
  }

  finish(): ReadonlyMap<string, string> {
    for (const deck of this.#files.keys()) this.#keep(deck, "\n");
    this.#write();
    return this.#files;
  }

  #keep(deck: string, text: string): void {
    const kept = this.#kept.get(deck);
    if (kept === undefined) this.#kept.set(deck, [text]);
    else kept.push(text);
    this.#length += text.length;
    if (this.#length > mostKept) this.#write();
  }

  #write(): void {
    for (const [deck, texts] of this.#kept)
      appendFileSync(this.#files.get(deck) ?? "", texts.join(""), { mode: 0o600 });
    this.#kept = new Map();
    this.#length = 0;
  }
}

async function sidesOf(card: Card, templates: ReadonlyMap<string, Template>) {
  const template = templates.get(card["template-id"] ?? "");
  if (template === undefined || Object.keys(card.fields ?? {}).length === 0)
    return { sides: splitSides(card.content ?? ""), filled: false };
  const { fillSides } = await import("../../../cards/template.ts");
  const { sides } = fillSides(template.content ?? "", template.fields ?? {}, card.fields ?? {});
  return { sides: [...sides], filled: true };
}

/** With an end for a code block that has none: the cards after it would be part of it. */
function closed(side: string): string {
  const scan = new FenceScan();
  for (const line of side.split("\n")) scan.inside(line);
  return scan.open === undefined ? side : `${side.trimEnd()}\n${scan.open}`;
}

function headOf(deck: string, format: NotesFormat, collection: Collection): string {
  if (format === "hashcards") return `---\nname = ${JSON.stringify(deck)}\n---\n`;
  const tag = obsidianDeck(deck);
  if (tag !== deck && deck !== cardsWithoutDeck) collection.losses.adapt(adaptedToObsidian.decks);
  return `#flashcards/${tag}\n`;
}

function freePath(deck: string, used: Set<string>): string {
  const name = safeName(deck.replaceAll("/", " - "), 120) || "deck";
  let free = name;
  for (let number = 2; used.has(free.toLowerCase()); number++) free = `${name}-${number}`;
  used.add(free.toLowerCase());
  return `${free}.md`;
}
