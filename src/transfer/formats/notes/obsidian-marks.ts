import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { joinSides } from "../../../cards/sides.ts";

/** What the plugin Spaced Repetition of a vault takes for cards. */
interface ObsidianForm {
  /** Of notes with cards, without `#`. */
  readonly tags: readonly string[];
  /** Whether all notes have cards, whose decks are their folders. */
  readonly folders: boolean;
}

const defaultForm: ObsidianForm = { tags: ["flashcards"], folders: false };

/** What makes a text a card: labels of hashcards, a line of its own, a pair with or without blanks, a highlight. */
export type Mark = "Q:" | "C:" | "?" | " :: " | "::" | "==";

/** The sides of a card, as its content. */
export interface Pair {
  readonly content: string;
  readonly mark: Mark;
  readonly reverse: boolean;
}

/** Question and answer on one line; one more colon is both directions, and a row of more is neither. */
const inline = /:::(?!:)|::(?!:)/;

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** Finds cards and tags in notes. */
export class ObsidianMarks {
  readonly form: ObsidianForm;
  readonly #tag: RegExp;
  readonly #matterTag: RegExp;

  constructor(form: ObsidianForm) {
    this.form = form;
    const names = form.tags.map(escaped).join("|");
    this.#tag = new RegExp(`(?:^|\\s)#(${names})((?:\\/[^\\s#,;]+)*)(?=\\s|$)`, "i");
    this.#matterTag = new RegExp(`(?<![\\w/-])(${names})((?:\\/[^\\s"',\\]]+)*)(?![\\w-])`, "i");
  }

  hasTag(text: string): boolean {
    return this.#tag.test(text);
  }

  /** A text without the tag of a deck, and the path of that deck. */
  withoutTag(text: string): { body: string; own: string | undefined } {
    const found = this.#tag.exec(text);
    if (found === null) return { body: text, own: undefined };
    return { body: text.replace(this.#tag, "").trim(), own: this.#deckOf(found) };
  }

  /** The path of the deck that the tags of front matter name: undefined without such a tag. */
  deckIn(yaml: string): string | undefined {
    const tags = /^tags:[\s\S]*/m.exec(yaml)?.[0] ?? "";
    const found = this.#matterTag.exec(tags);
    return found === null ? undefined : this.#deckOf(found);
  }

  /** Where there are several tags, each is a deck of its own. */
  #deckOf([, name = "", path = ""]: RegExpExecArray): string {
    return this.form.tags.length > 1 ? `${name}${path}` : path.slice(1);
  }
}

/** `question::answer`; colons in code, in links and in deletions are text. */
export function pairOf(line: string): Pair | undefined {
  const masked = line.replace(/`[^`]*`|\{\{.*?\}\}|\]\([^()]*\)|https?:\S+/g, (each) =>
    "x".repeat(each.length),
  );
  const found = inline.exec(masked);
  if (found === null || found.index === 0) return undefined;
  const [separator] = found;
  const [front, back] = [line.slice(0, found.index), line.slice(found.index + separator.length)];
  const plain = front.trim().replace(/^[-*+] (?:\[.\] )?/, "");
  if (plain === "" || back.trim() === "") return undefined;
  return {
    content: joinSides([plain, back.trim()]),
    mark: /\s$/.test(front) && /^\s/.test(back) ? " :: " : "::",
    reverse: separator === ":::",
  };
}

/** Whether a line separates question and answer; two marks are both directions. */
export const isMiddle = (line: string): boolean => /^\?{1,2}\s*$/.test(line);

export const defaultMarks = new ObsidianMarks(defaultForm);

export const settingsPath = ".obsidian/plugins/obsidian-spaced-repetition/data.json";

/**
 * The marks of the vault that a folder is or is in.
 *
 * @returns also the file that sets them, undefined where nothing differs from the plugin's defaults
 */
export async function marksOf(folder: string): Promise<{ marks: ObsidianMarks; from?: string | undefined }> {
  for (let vault = resolve(folder); ; vault = dirname(vault)) {
    const file = join(vault, settingsPath);
    const text = await readFile(file, "utf8").catch(() => undefined);
    if (text !== undefined) {
      const form = formIn(text);
      const differs = JSON.stringify(form) !== JSON.stringify(defaultForm);
      return { marks: new ObsidianMarks(form), ...(differs ? { from: file } : {}) };
    }
    if (dirname(vault) === vault) return { marks: defaultMarks };
  }
}

function formIn(text: string): ObsidianForm {
  const settings = settingsOf(text);
  const given = settings["flashcardTags"];
  const tags = (Array.isArray(given) ? given : [])
    .flatMap((tag) => (typeof tag === "string" ? [tag.trim().replace(/^#/, "")] : []))
    .filter((tag) => tag !== "");
  return {
    tags: tags.length > 0 ? tags : defaultForm.tags,
    folders: settings["convertFoldersToDecks"] === true,
  };
}

/** A vault whose settings are damaged has the plugin's defaults. */
function settingsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return { ...JSON.parse(text)?.settings };
  } catch {
    return {};
  }
}
