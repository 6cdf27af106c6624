import type { Card } from "../schema/card.ts";
import type { Deck } from "../schema/deck.ts";
import type { Template } from "../schema/template.ts";
import { type Block, type ClozeGroup, inlines } from "./nodes.ts";
import { parseSide } from "./parse.ts";
import { splitSides } from "./sides.ts";
import { fillSides } from "./template.ts";

/** One side of a card; it is parsed when its blocks are first asked for. */
export interface Side {
  readonly source: string;
  readonly blocks: readonly Block[];
  /** The template's fields that were not filled in. */
  readonly placeholders?: readonly string[];
  /** With its `<details>`, if any, closed. */
  readonly closed?: Side;
}

/**
 * One way that a card is asked in a review: from its first side to its last, from its last to its first, or by what a
 * group of cloze deletions hides. A card yields one review, however many passes it has (docs/design/review.md).
 */
export interface Pass {
  readonly kind: "forward" | "reverse" | "cloze";
  /** Of a cloze pass: the group that it asks for; null for the deletions without a number. */
  readonly group?: ClozeGroup;
  /** Indexes into the sides of the presentation, in the order in which they are shown. */
  readonly order: readonly number[];
  /** Whether each step shows its side alone instead of below those before. */
  readonly separate: boolean;
  /** How many steps there are, at least 1: at the last, all is revealed. */
  readonly steps: number;
}

/** How the cloze deletions of one group are shown; those of other groups look like other text. */
export interface ClozeView {
  readonly group: ClozeGroup;
  readonly hidden: boolean;
}

export interface ShownSide {
  readonly index: number;
  readonly cloze?: ClozeView;
}

/** A card as a review shows it. */
export interface Presentation {
  /** At least one. */
  readonly sides: readonly Side[];
  /** At least one, in the order in which they are asked. */
  readonly passes: readonly Pass[];
}

export interface PresentInput {
  readonly card: Pick<Card, "content" | "fields" | "review-reverse?">;
  /** The template of the card, if it has one. */
  readonly template?: Pick<Template, "content" | "fields" | "options"> | undefined;
  readonly deck?: Pick<Deck, "review-reverse?"> | undefined;
}

/** The sides of a card and the passes that a review makes over them (docs/design/cards.md, The card language). */
export function presentCard({ card, template, deck }: PresentInput): Presentation {
  const sides = sidesOf({ card, template });
  const order = [...sides.keys()].filter((index) => sides[index]?.source.trim() !== "");
  if (order.length === 0) order.push(0);
  const separate = template?.options?.["show-sides-separately?"] === true;
  const groups = clozeGroups(sides[order[0] ?? 0]?.blocks ?? []);
  const passes: Pass[] = groups.map((group) => ({
    kind: "cloze",
    group,
    order,
    separate,
    steps: order.length + 1,
  }));
  if (groups.length === 0) passes.push({ kind: "forward", order, separate, steps: order.length });
  if (order.length > 1 && (card["review-reverse?"] === true || deck?.["review-reverse?"] === true)) {
    passes.push({ kind: "reverse", order: order.toReversed(), separate, steps: order.length });
  }
  return { sides, passes };
}

/**
 * The sides of a card: of its filled-in template if it has one and either fields or no content; else of its
 * content; else, if the template is missing, the values of its fields.
 */
function sidesOf({ card, template }: Omit<PresentInput, "deck">): Side[] {
  const content = card.content ?? "";
  const values = card.fields ?? {};
  const anyField = Object.keys(values).length > 0;
  if (template && (anyField || content.trim() === "")) {
    const filled = fillSides(template.content ?? "", template.fields ?? {}, values);
    return filled.sides.map((source) => createSide(source, filled.placeholders));
  }
  if (content.trim() === "" && anyField) {
    return Object.values(values).map((field) => createSide(String(field?.value ?? ""), []));
  }
  return splitSides(content).map((source) => createSide(source, []));
}

function createSide(source: string, placeholders: readonly string[], closed = false): Side {
  let blocks: Block[] | undefined;
  return {
    source,
    placeholders,
    get blocks() {
      blocks ??= parseSide(source, { placeholders, details: closed ? "closed" : "open" });
      return blocks;
    },
    ...(!closed && /<details\b/i.test(source) ? { closed: createSide(source, placeholders, true) } : {}),
  };
}

/** The groups that the cloze deletions of a side form: the bare ones first, as null, then by number. */
function clozeGroups(blocks: readonly Block[]): ClozeGroup[] {
  const groups = new Set<ClozeGroup>();
  for (const node of inlines(blocks)) if (node.type === "cloze") groups.add(node.group);
  return [...groups].sort((a, b) => (a ?? -1) - (b ?? -1));
}

/**
 * What a step of a pass shows, from 0 to `steps - 1` (values outside are clamped). A cloze pass hides the
 * deletions on the first side, then reveals them there, then goes on to the other sides.
 */
export function stepAt(pass: Pass, step: number): readonly ShownSide[] {
  const at = Math.max(0, Math.min(Math.trunc(step), pass.steps - 1));
  const last = pass.kind === "cloze" ? Math.max(0, at - 1) : at;
  const shown = pass.separate ? pass.order.slice(last, last + 1) : pass.order.slice(0, last + 1);
  return shown.map((index) =>
    pass.group !== undefined && index === pass.order[0]
      ? { index, cloze: { group: pass.group, hidden: at === 0 } }
      : { index },
  );
}

/** How much of a pass is shown. */
export interface Reached {
  /** From 0 to `steps - 1` of the pass. */
  readonly step: number;
  /** Whether `<details>` were opened before all is revealed. */
  readonly opened?: boolean;
}

/** The sides that are shown at a step, as they are shown, with what is done with their deletions. */
export const sidesAt = ({ sides }: Presentation, pass: Pass, reached: Reached) =>
  stepAt(pass, reached.step).flatMap(({ index, cloze }) => {
    const side = sides[index];
    return side === undefined ? [] : [{ side: sideAt(side, pass, reached), cloze }];
  });

/** A side as it is shown: its `<details>` are closed until they are opened or all is revealed. */
export const sideAt = (side: Side, pass: Pass, { step, opened = false }: Reached): Side =>
  opened || step >= pass.steps - 1 ? side : (side.closed ?? side);

/** Whether something is closed on the sides that are shown. */
export const hasClosed = ({ sides }: Presentation, pass: Pass, reached: Reached): boolean =>
  stepAt(pass, reached.step).some(({ index }) => {
    const side = sides[index];
    return side !== undefined && sideAt(side, pass, reached) !== side;
  });
