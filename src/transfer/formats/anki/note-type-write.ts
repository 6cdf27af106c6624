import { createHash } from "node:crypto";
import { inlines } from "../../../cards/nodes.ts";
import { parseSide } from "../../../cards/parse.ts";
import { splitSides } from "../../../cards/sides.ts";
import type { Template } from "../../../schema/index.ts";
import { uniqueNames } from "./placeholders.ts";
import type { NoteTypeParts } from "./schema-11.ts";
import { type HtmlOptions, toHtml } from "./to-html.ts";

/** The name of a note type whose second card asks for the first; what it is read back by. */
export const reverseSuffix = " (reviewed in reverse)";

/** The name of the note type for cards without a template and deletions. */
const plainName = (sides: number): string => (sides > 2 ? `Card with ${sides} sides` : "Card");

/** How its cards are asked decides which note type a template becomes; `fields` are those with deletions, by their ids. */
export type Variant =
  | { readonly kind: "forward" | "reverse" }
  | { readonly kind: "cloze"; readonly fields: readonly string[] };

/** A number that is the same for the same text, in the range of Anki's ids (milliseconds since 1970). */
export function stableId(text: string): number {
  const hash = createHash("sha256").update(text).digest().readUIntBE(0, 6);
  return 1_000_000_000_000 + (hash % 500_000_000_000);
}

/** The note type for cards without a template: a field for each side, or a text with deletions. */
export function plainNoteType(sides: number, variant: Variant): NoteTypeParts {
  if (variant.kind === "cloze")
    return {
      ...noteTypeBase("Cloze", variant),
      fields: ["Text", "Back Extra"],
      templates: [["Cloze", "{{cloze:Text}}", "{{cloze:Text}}<br>\n{{Back Extra}}"]],
    };
  const fields =
    sides > 2 ? Array.from({ length: sides }, (_, index) => `Side ${index + 1}`) : ["Front", "Back"];
  return {
    ...noteTypeBase(plainName(sides), variant),
    fields,
    templates: templatesOf(
      fields.map((field) => `{{${field}}}`),
      variant,
      false,
    ),
  };
}

const keyOf = (variant: Variant) =>
  variant.kind === "cloze" ? JSON.stringify(["cloze", ...variant.fields]) : variant.kind;

function noteTypeBase(name: string, variant: Variant) {
  return {
    id: stableId(`${name}/${keyOf(variant)}`),
    name: variant.kind === "reverse" ? `${name}${reverseSuffix}` : name,
    cloze: variant.kind === "cloze",
    sortField: 0,
    alignment: "center" as const,
  };
}

function templatesOf(
  sides: readonly string[],
  variant: Variant,
  separate: boolean,
): [name: string, question: string, answer: string][] {
  const card = (name: string, [question = "", ...rest]: readonly string[]): [string, string, string] => [
    name,
    question,
    `${before(question)}${rest.join("\n\n<hr>\n\n")}`,
  ];
  const before = (question: string) => {
    // `{{FrontSide}}` would show the question with its deletions still hidden.
    if (variant.kind === "cloze") return `${question}\n\n<hr id=answer>\n\n`;
    return separate ? "" : "{{FrontSide}}\n\n<hr id=answer>\n\n";
  };
  const forward = card("Card 1", sides);
  return variant.kind === "reverse" ? [forward, card("Card 2", sides.toReversed())] : [forward];
}

/** Whether a note type is the one for cards without a template. */
export const isPlain = (id: string, fields: readonly string[]): boolean =>
  plainVariants.some((variant) => String(plainNoteType(fields.length, variant).id) === id);

const plainVariants: readonly Variant[] = [
  { kind: "forward" },
  { kind: "reverse" },
  { kind: "cloze", fields: [] },
];

/** A template's note type, and which field of the card is which of the note. */
export interface TemplateNoteType extends NoteTypeParts {
  readonly fieldIds: readonly string[];
}

/**
 * The note type of a template.
 *
 * @returns undefined for a template with deletions of its own: Anki has them only in fields, so its cards are filled in
 */
export function templateNoteType(
  template: Template,
  variant: Variant,
  media: HtmlOptions["media"],
): TemplateNoteType | undefined {
  const entries = Object.entries(template.fields ?? {}).sort(([, a], [, b]) =>
    (a?.pos ?? "") < (b?.pos ?? "") ? -1 : 1,
  );
  const fieldIds = entries.map(([id]) => id);
  const given = entries.map(([id, field]) => field?.name?.trim() || id);
  const names = uniqueNames(given.map((name) => name.replace(/[:{}"#^/\\]/g, " ").replace(/ +/g, " ")));
  const fieldNames = new Map([
    ...fieldIds.map((id, index): [string, string] => [id, names[index] ?? ""]),
    ...given.map((name, index): [string, string] => [name, names[index] ?? ""]),
  ]);
  const placeholders = [...fieldNames.keys()].flatMap((name) => [name, ...tagsOf(name)]);
  const sides = splitSides(template.content ?? "");
  const parsed = sides.flatMap((side) => [...inlines(parseSide(side, { placeholders }))]);
  if (fieldIds.length === 0 || parsed.some(({ type }) => type === "cloze")) return undefined;
  const deletions = new Set(
    variant.kind === "cloze" ? variant.fields.map((id) => names[fieldIds.indexOf(id)] ?? "") : [],
  );
  const rendered = sides.map((side) =>
    toHtml(side, {
      placeholders,
      placeholder: (name) => ankiPlaceholder(name, fieldNames, deletions),
      media,
    }),
  );
  const sortField = Math.max(0, fieldIds.indexOf("name"));
  // Anki takes a card whose question shows no field for empty, and offers to delete it.
  if (!/\{\{(?![#^/])/.test(rendered[0] ?? ""))
    rendered[0] = `${rendered[0] ?? ""}\n{{type:${answerField(rendered[1] ?? "", names) ?? names[sortField]}}}`;
  const base = noteTypeBase(template.name ?? "", variant);
  const templates = templatesOf(rendered, variant, template.options?.["show-sides-separately?"] === true);
  return {
    ...base,
    id: stableId(`${template.id}/${keyOf(variant)}`),
    name: variant.kind === "cloze" && !/cloze/i.test(base.name) ? `${base.name} (cloze)` : base.name,
    fields: names,
    fieldIds,
    sortField,
    templates,
    alignment: alignmentOf(template),
  };
}

/** The last field that an answer shows: what is asked for. */
const answerField = (answer: string, names: readonly string[]): string | undefined =>
  names.findLast((name) => answer.includes(`{{${name}}}`));

const alignmentOf = ({ style }: Template): NoteTypeParts["alignment"] => {
  const alignment = style?.["text-alignment"];
  return alignment === "left" || alignment === "right" ? alignment : "center";
};

const tagsOf = (name: string) => ["#", "^", "/"].flatMap((kind) => [`${kind}${name}`, `${kind} ${name}`]);

function ankiPlaceholder(
  inner: string,
  names: ReadonlyMap<string, string>,
  deletions: ReadonlySet<string>,
): string {
  const known = names.get(inner);
  if (known !== undefined) return `{{${deletions.has(known) ? "cloze:" : ""}${known}}}`;
  return `{{${inner[0] ?? ""}${names.get(inner.slice(1).trim()) ?? ""}}}`;
}
