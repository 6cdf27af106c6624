import { readFileSync } from "node:fs";
import {
  attachment,
  card,
  cardCreate,
  cardPage,
  cardUpdate,
  deck,
  deckCreate,
  deckItem,
  deckUpdate,
  due,
  errors,
  type ObjectKind,
  page,
  template,
  templateCreate,
} from "../../src/schema/index.ts";

/** One example of the wire (fixtures/vectors): exact text, and the domain value that it stands for. */
export interface Vector {
  readonly name: string;
  readonly kind: "encode" | "decode";
  readonly codec: "json" | "transit";
  readonly schema: keyof typeof vectorKinds;
  readonly wire: string;
  readonly domain: unknown;
  readonly note?: string;
  readonly why?: string;
}

/** The kinds that the vectors name. */
export const vectorKinds = {
  card,
  "page-card": cardPage,
  "card-create": cardCreate,
  "card-update": cardUpdate,
  deck,
  "deck-create": deckCreate,
  "deck-update": deckUpdate,
  "page-deck": page(deckItem),
  template,
  "template-create": templateCreate,
  "page-template": page(template),
  due,
  attachment,
  errors,
} satisfies Record<string, ObjectKind>;

const read = (file: string): Vector[] => {
  const path = new URL(`../fixtures/vectors/${file}`, import.meta.url);
  return JSON.parse(readFileSync(path, "utf8")) as Vector[];
};

export const wireVectors = (): Vector[] => read("wire.json");

/** The texts that must be refused; the one that is only described is made here. */
export const wireErrors = (): Vector[] =>
  read("wire-errors.json").map((vector) =>
    vector.name === "error/deep" ? { ...vector, wire: "[".repeat(100_000) + "]".repeat(100_000) } : vector,
  );
