import { Writable } from "node:stream";
import fc from "fast-check";
import {
  createOutput,
  createPrinter,
  type Document,
  type Documents,
  type PrinterSettings,
} from "../../src/output/index.ts";
import { listings } from "../../src/schema/resources.ts";

export const now = Date.UTC(2026, 6, 31);

/** A stream that keeps what it is given. */
export function collector(): Writable & { text(): string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return Object.assign(stream, { text: () => Buffer.concat(chunks).toString("utf8") });
}

type Given = Partial<Omit<PrinterSettings, "stdout">>;

/** What the printer writes of documents. */
export async function printed(
  documents: Documents,
  settings: Given,
  what: "list" | "documents" | "changed" = "list",
  several = false,
): Promise<string> {
  const stdout = collector();
  const printer = createPrinter({
    format: undefined,
    columns: undefined,
    listing: listings.cards,
    isTerminal: false,
    width: 80,
    colour: false,
    now,
    dayOf: (instant) => Math.floor(instant / 86_400_000),
    stdout: createOutput(stdout),
    ...settings,
  });
  if (what === "list") await printer.list(documents);
  else if (what === "documents") await printer.documents(documents, several);
  else {
    const sink = await printer.changes(several);
    for await (const next of documents) await sink.write((Array.isArray(next) ? next : [next]) as Document[]);
    await sink.end();
  }
  return stdout.text();
}

/** Characters that must never reach a terminal. */
export const hostile = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** Text of every kind: plain, wide, combining, emoji, controls, separators. */
export const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.string({
    unit: fc.constantFrom(
      ..."ab ,;\"'\\\t\n\r\v\0\x1b[]31m\x7f\x9b\u202e\u2066漢字한ไทย",
      "e\u0301",
      "👩‍👩‍👧",
      "🇩🇪",
      "\r\n",
      "\u2028",
    ),
    maxLength: 40,
  }),
);

const anyInstant = fc
  .integer({ min: Date.UTC(1990, 0), max: Date.UTC(2060, 0) })
  .map((time) => new Date(time).toISOString());

/** A card as a service could send it: anything missing or null, unknown fields too. */
export const anyCard = fc.record(
  {
    id: fc.oneof(fc.stringMatching(/^[0-9A-Za-z]{8}$/), anyText),
    "deck-id": fc.oneof(fc.stringMatching(/^[0-9A-Za-z]{8}$/), fc.constant(null)),
    name: fc.oneof(anyText, fc.constant(null)),
    content: anyText,
    tags: fc.array(anyText, { maxLength: 4 }),
    "created-at": anyInstant,
    "new?": fc.boolean(),
    reviews: fc.array(fc.record({ date: anyInstant, due: anyInstant, "remembered?": fc.boolean() }), {
      maxLength: 2,
    }),
    later: fc.jsonValue(),
  },
  { requiredKeys: ["id"] },
);
