import { type ClozeGroup, inlines } from "../../../cards/nodes.ts";
import { parseSide } from "../../../cards/parse.ts";
import { splitSides } from "../../../cards/sides.ts";
import { fillSides } from "../../../cards/template.ts";
import type { Card, Template } from "../../../schema/index.ts";
import { plainNoteType, type TemplateNoteType, templateNoteType, type Variant } from "./note-type-write.ts";
import type { NoteTypeParts } from "./schema-11.ts";
import { type HtmlOptions, toHtml } from "./to-html.ts";

/** A card as a note of Anki. */
interface AnkiNote {
  readonly noteType: NoteTypeParts;
  /** HTML. */
  readonly fields: readonly string[];
  /** The numbers of its cards, from 0. */
  readonly cards: readonly number[];
  /** Whether its template is filled in: it has deletions of its own. */
  readonly filled?: true;
}

type Media = HtmlOptions["media"];

/** Anki numbers deletions from 1, and makes a card of each; far beyond what a note has, it refuses them. */
const lastGroup = 499;

/** Makes notes of cards, and knows the note types that they need. */
export class NoteWriter {
  readonly #templates: ReadonlyMap<string, Template>;
  readonly #types = new Map<string, NoteTypeParts | undefined>();

  constructor(templates: readonly Template[]) {
    this.#templates = new Map(templates.map((template) => [template.id, template]));
  }

  /** The note types that were used so far. */
  get noteTypes(): readonly NoteTypeParts[] {
    return [...this.#types.values()].filter((type) => type !== undefined);
  }

  /**
   * @param reverse whether the card is asked from its last side to its first, too
   * @param names the names in the package for files that the card links to, and for those that its template does
   */
  note(card: Card, reverse: boolean, names: { readonly card: Media; readonly template: Media }): AnkiNote {
    const media = names.card;
    const template = this.#templates.get(card["template-id"] ?? "");
    const values = card.fields ?? {};
    if (template === undefined || Object.keys(values).length === 0)
      return this.#plain(splitSides(card.content ?? ""), reverse, media);
    const sides = fillSides(template.content ?? "", template.fields ?? {}, values).sides;
    const groups = new Map<string, readonly ClozeGroup[]>();
    for (const [id, field] of Object.entries(values)) {
      const found = groupsIn(field?.value ?? "");
      if (found.length > 0) groups.set(id, found);
    }
    // A deletion that the question does not show would never be asked.
    const asked = groups.size > 0 && groupsIn(sides[0] ?? "").length > 0;
    const kind: Variant = asked
      ? { kind: "cloze", fields: [...groups.keys()].sort() }
      : { kind: reverse && sides.length > 1 ? "reverse" : "forward" };
    const type = this.#templateType(template, kind, names.template);
    if (type === undefined) return { ...this.#plain(sides, reverse, media), filled: true };
    const numbers = asked ? numbersOf([...groups.values()].flat()) : undefined;
    return {
      noteType: type,
      fields: type.fieldIds.map((id) =>
        toHtml(values[id]?.value ?? "", {
          media,
          ...(numbers === undefined || !groups.has(id) ? {} : { cloze: numbers.of }),
        }),
      ),
      cards: numbers?.cards ?? (kind.kind === "reverse" ? [0, 1] : [0]),
    };
  }

  #plain(sides: readonly string[], reverse: boolean, media: Media): AnkiNote {
    const [first = "", ...rest] = sides;
    const groups = groupsIn(first);
    if (groups.length > 0) {
      const { of, cards } = numbersOf(groups);
      const noteType = this.#plainType(2, { kind: "cloze", fields: [] });
      const extra = rest.map((side) => toHtml(side, { media })).join("\n<hr>\n");
      return { noteType, fields: [toHtml(first, { media, cloze: of }), extra], cards };
    }
    const reversed = reverse && sides.length > 1;
    const noteType = this.#plainType(sides.length, { kind: reversed ? "reverse" : "forward" });
    const fields = noteType.fields.map((_, index) => toHtml(sides[index] ?? "", { media }));
    return { noteType, fields, cards: reversed ? [0, 1] : [0] };
  }

  #plainType(sides: number, variant: Variant): NoteTypeParts {
    const key = `${variant.kind} ${Math.max(2, sides)}`;
    const known = this.#types.get(key) ?? plainNoteType(sides, variant);
    this.#types.set(key, known);
    return known;
  }

  #templateType(template: Template, variant: Variant, media: Media): TemplateNoteType | undefined {
    const key = JSON.stringify([template.id, variant]);
    if (!this.#types.has(key)) this.#types.set(key, templateNoteType(template, variant, media));
    return this.#types.get(key) as TemplateNoteType | undefined;
  }
}

/** The groups of the deletions in a text. */
function groupsIn(markdown: string): ClozeGroup[] {
  if (!markdown.includes("{{")) return [];
  const groups = new Set<ClozeGroup>();
  for (const node of inlines(parseSide(markdown))) if (node.type === "cloze") groups.add(node.group);
  return [...groups];
}

/** The numbers of deletions in Anki: their own where Anki takes them, else in order; those without one come last. */
function numbersOf(groups: readonly ClozeGroup[]): { of: (group: ClozeGroup) => number; cards: number[] } {
  const given = [...new Set(groups)].filter((group) => group !== null).sort((a, b) => a - b);
  const own = given.every((group) => group >= 1 && group < lastGroup);
  const numbers = new Map<ClozeGroup, number>(given.map((group, index) => [group, own ? group : index + 1]));
  if (groups.includes(null)) numbers.set(null, Math.max(0, ...numbers.values()) + 1);
  return {
    of: (group) => numbers.get(group) ?? 1,
    cards: [...numbers.values()].map((number) => number - 1).sort((a, b) => a - b),
  };
}
