import { UsageError } from "../../../errors.ts";
import type { ImportFormat } from "../../model.ts";
import { quoted } from "../../place.ts";
import type { AnkiPreamble } from "./preamble.ts";
import type { CsvOptions } from "./rows.ts";

export interface CsvSourceOptions extends CsvOptions {
  readonly format: ImportFormat & ("csv" | "tsv");
  /** Columns by name, or by number from 1. Those not given are found by the name they usually have. */
  readonly front?: string | undefined;
  readonly back?: string | undefined;
  readonly tags?: string | undefined;
  readonly deckColumn?: string | undefined;
  /** False if the first row is a card already; found out from the row if not given. */
  readonly header?: boolean | undefined;
  /** The templates of the account, for sheets that name theirs. */
  readonly templates?: (() => Promise<readonly CsvTemplate[]>) | undefined;
  /** The template whose fields the columns are matched to. */
  readonly template?: CsvTemplate | undefined;
}

export interface CsvTemplate {
  readonly id: string;
  readonly name: string;
  readonly fields: readonly { readonly id: string; readonly name: string }[];
}

/** What the columns are, by index. */
export interface Columns {
  readonly names: readonly string[];
  readonly front: number | undefined;
  readonly back: number | undefined;
  readonly tags: number | undefined;
  readonly deck: number | undefined;
  /** Field ids by column. */
  readonly fields: ReadonlyMap<number, string>;
  /** Columns that hold the names of pictures or sounds. */
  readonly pictures: readonly number[];
  /** Columns of which Anki says what they hold. */
  readonly own: ReadonlySet<number>;
}

/**
 * Finds the columns. Where neither names nor options say which, the first two that hold a field are the sides of a card.
 *
 * @param anki what Anki says of the rows
 */
export function columnsOf(names: readonly string[], options: CsvSourceOptions, anki?: AnkiPreamble): Columns {
  const find = new Finder(names, options);
  const { template } = options;
  const fields = template === undefined ? new Map<number, string>() : find.fields(template);
  const own = new Set(anki?.numbers.values());
  const used = new Set([...fields.keys(), ...own]);
  const others = options.header ? [] : names.map((_, index) => index).filter((index) => !own.has(index));
  const sides = template === undefined;
  const front = sides
    ? (find.column("front", ["front", "question", "content"], used) ?? others[0])
    : undefined;
  if (sides && front === undefined) throw find.missing();
  const second = options.front === undefined ? others[1] : undefined;
  const back = sides ? (find.column("back", ["back", "answer"], used) ?? second) : undefined;
  return {
    ...{ names, fields, own, front, back },
    pictures: anki === undefined ? pictureColumns(names, new Set([front, back])) : [],
    tags: find.column("tags", ["tags"], used) ?? anki?.numbers.get("tags"),
    deck: find.column("deckColumn", ["deck"], used) ?? anki?.numbers.get("deck"),
  };
}

/** What columns of pictures and sounds are usually called. */
const pictureName = /^(?:picture|image|photo|img|audio|sound|bild)s?(?: ?file)?$/i;

const pictureColumns = (names: readonly string[], used: ReadonlySet<number | undefined>): number[] =>
  names.flatMap((name, index) => (pictureName.test(name.trim()) && !used.has(index) ? [index] : []));

class Finder {
  readonly #names: readonly string[];
  readonly #options: CsvSourceOptions;

  constructor(names: readonly string[], options: CsvSourceOptions) {
    this.#names = names;
    this.#options = options;
  }

  /** The column that an option names, else one with a usual name that is not used yet. */
  column(
    option: "front" | "back" | "tags" | "deckColumn",
    usual: readonly string[],
    used: ReadonlySet<number>,
  ): number | undefined {
    const asked = this.#options[option];
    if (asked !== undefined) {
      const index = this.#index(asked) ?? this.#number(asked);
      if (index === undefined) throw this.#unknown(asked);
      return index;
    }
    if (!this.#options.header) return undefined;
    const found = usual.map((name) => this.#index(name)).find((index) => index !== undefined);
    return found === undefined || used.has(found) ? undefined : found;
  }

  fields(template: CsvTemplate): Map<number, string> {
    const found = new Map<number, string>();
    for (const { id, name } of template.fields) {
      const index = this.#index(name) ?? this.#index(id);
      if (index !== undefined && !found.has(index)) found.set(index, id);
    }
    if (found.size > 0) return found;
    throw new UsageError(
      `${this.#options.name}: no column has the name of a field of template ${quoted(template.name)}`,
      {
        hint: `Columns: ${this.#list()}. Fields: ${template.fields.map((field) => field.name || field.id).join(", ")}.`,
      },
    );
  }

  missing(): UsageError {
    return new UsageError(`${this.#options.name}: which column is the front of a card?`, {
      hint: `Name it with --front, and the other side with --back, or give a --template. If the first row is a card, give --no-header. Columns: ${this.#list()}.`,
    });
  }

  #index(name: string): number | undefined {
    for (const form of [(text: string) => text.normalize("NFC"), folded]) {
      const index = this.#names.findIndex((each) => form(each) === form(name));
      if (index >= 0) return index;
    }
    return undefined;
  }

  #number(text: string): number | undefined {
    const number = /^\d{1,4}$/.test(text) ? Number(text) : 0;
    return number >= 1 && number <= this.#names.length ? number - 1 : undefined;
  }

  #unknown(name: string): UsageError {
    return new UsageError(`${this.#options.name}: there is no column ${quoted(name)}`, {
      hint: `Columns: ${this.#list()}.`,
    });
  }

  #list(): string {
    return this.#names
      .slice(0, 40)
      .map((name) => (name.length > 40 ? `${name.slice(0, 40)}…` : name))
      .join(", ");
  }
}

const folded = (text: string) => text.normalize("NFC").toLowerCase();

/** The columns that neither a side, a field, the tags nor the deck of a card comes from. */
export function unmatched(columns: Columns): number[] {
  const { front, back, tags, deck, fields, pictures, own } = columns;
  const used = new Set<number | undefined>([front, back, tags, deck, ...fields.keys(), ...pictures, ...own]);
  return columns.names.flatMap((_, index) => (used.has(index) ? [] : [index]));
}
