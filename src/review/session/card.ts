import { playerOf } from "../../cards/content-type.ts";
import { type CardLink, cardLinks } from "../../cards/links.ts";
import { inlines } from "../../cards/nodes.ts";
import { parseSide } from "../../cards/parse.ts";
import { type Pass, type Presentation, presentCard, type Reached, sidesAt } from "../../cards/passes.ts";
import { splitSides } from "../../cards/sides.ts";
import type { Card, Deck, DueCard } from "../../schema/index.ts";
import type { Loaded, World } from "../ports.ts";
import type { Session } from "./session.ts";
import type { AskedCard, SessionWorld } from "./session-cards.ts";
import { currentCard, currentPass, type PassShape } from "./state.ts";

export interface SessionCard extends AskedCard {
  readonly card: Card;
  readonly deck?: Deck | undefined;
  readonly presentation: Presentation;
}

function passId(pass: Pass): string {
  if (pass.kind !== "cloze") return pass.kind;
  return pass.group === null || pass.group === undefined ? "cloze" : `cloze:${pass.group}`;
}

export const shapeOf = (pass: Pass): PassShape => ({ id: passId(pass), steps: pass.steps - 1 });

/** The card that a session asks, as far as it is revealed. */
export interface ShownCard {
  readonly cardId: string;
  readonly card: SessionCard;
  readonly pass: Pass;
  readonly step: number;
  readonly opened: boolean;
}

/** What a session asks now; undefined when it is over, or while the card is being fetched. */
export function shownCard({ state, card: cardOf }: Session<SessionCard>): ShownCard | undefined {
  const cardId = currentCard(state) ?? "";
  const card = cardOf(cardId);
  const id = currentPass(state)?.id;
  const pass = card?.presentation.passes.find((each) => passId(each) === id);
  const { step, opened } = state.position;
  return card && pass && { cardId, card, pass, step, opened };
}

export function presented({ card, template, deck }: Extract<Loaded, { kind: "card" }>): SessionCard {
  const presentation = presentCard({ card, template, deck });
  return { card, deck, presentation, shapes: presentation.passes.map(shapeOf), partial: false };
}

/** What the due query says of a card is enough to ask it, unless it has nothing but fields. */
function fromDue(card: DueCard | undefined): SessionCard | undefined {
  if (card === undefined || (card.content ?? "").trim() === "") return undefined;
  return { ...presented({ kind: "card", card }), partial: true };
}

/** The world of a session whose cards are shown on a terminal. */
export const presenting = ({ load, ...world }: World): SessionWorld<SessionCard> => ({
  ...world,
  partial: fromDue,
  withTags,
  async load(cardId) {
    const loaded = await load(cardId);
    return loaded.kind === "card" ? { kind: "card", card: presented(loaded) } : loaded;
  },
});

/** The tags that stand in the content, and cannot be edited apart from it. */
function inlineTags(card: Card): Set<string> {
  const tags = new Set<string>();
  for (const side of splitSides(card.content ?? ""))
    if (side.includes("#"))
      for (const node of inlines(parseSide(side))) if (node.type === "tag") tags.add(node.name);
  return tags;
}

/** Why the tags of a card that was not fetched cannot be edited: those typed would take the place of those it has. */
export const tagsUnknown = "The tags of this card are not known: the service did not answer.";

function manualTags({ card }: SessionCard): string[] {
  const inline = inlineTags(card);
  return (card.tags ?? []).filter((tag) => !inline.has(tag));
}

function withTags(session: SessionCard, manual: readonly string[]): SessionCard {
  return {
    ...session,
    card: { ...session.card, tags: [...new Set([...manual, ...inlineTags(session.card)])] },
  };
}

/** What parts tags in a line: spaces, or where one of them holds a space, commas; or a comma, semicolons. */
const partedBy = (tags: readonly string[]) => {
  if (tags.some((tag) => tag.includes(","))) return "semicolons";
  return tags.some((tag) => /\s/.test(tag)) ? "commas" : "spaces";
};

const signs = { spaces: " ", commas: ", ", semicolons: "; " } as const;
const between = { spaces: /[\s,]+/, commas: /,|\s(?=#)/, semicolons: /;|\s(?=#)/ } as const;

/** Tags as a line of text. */
export const lineOfTags = (tags: readonly string[]): string => tags.join(signs[partedBy(tags)]);

/** The tags of a card that can be edited, as a line of text, and what parts them. */
export function tagLine(card: SessionCard) {
  const tags = manualTags(card);
  return { text: lineOfTags(tags), parts: partedBy(tags) };
}

/** The tags of a line, each once, without a leading `#`. @param before those that it was made of */
export function parseTags(text: string, before: readonly string[]): string[] {
  const words = text.split(between[partedBy(before)]);
  return [...new Set(words.map((word) => word.trim().replace(/^#/, "").trim()).filter((tag) => tag !== ""))];
}

/** The change of a card's tags to those of a line; undefined where it was not edited. */
export function tagsAction(card: SessionCard, line: string) {
  const before = manualTags(card);
  if (line === lineOfTags(before)) return undefined;
  return { type: "tags", before, after: parseTags(line, before) } as const;
}

export const noOtherCard = "There is no other card to go on with.";

/** What can be opened on the sides that are shown: nothing that gives the answer away. */
export function revealedLinks({ presentation }: SessionCard, pass: Pass, reached: Reached): CardLink[] {
  const links = new Map<string, CardLink>();
  for (const shown of sidesAt(presentation, pass, reached))
    for (const link of sideLinks(shown))
      if (link.kind !== "card") links.set(`${link.kind} ${link.target}`, link);
  return [...links.values()];
}

function sideLinks({ side, cloze }: ReturnType<typeof sidesAt>[number]): CardLink[] {
  const links = cardLinks([side]);
  if (!cloze?.hidden) return links;
  const hidden = [...inlines(side.blocks)].flatMap((node) =>
    node.type === "cloze" && node.group === cloze.group
      ? cardLinks([{ source: "", blocks: [{ type: "paragraph", children: node.children }] }])
      : [],
  );
  return links.filter(({ target }) => !hidden.some((each) => each.target === target));
}

/** The sounds (file names of attachments) of the side that was shown last, else of all that are shown. */
export function revealedSounds({ presentation }: SessionCard, pass: Pass, reached: Reached): string[] {
  const sounds = sidesAt(presentation, pass, reached).map((shown) =>
    sideLinks(shown).flatMap(({ kind, target }) =>
      kind === "attachment" && playerOf(target) === "audio" ? [target] : [],
    ),
  );
  const latest = sounds.at(-1) ?? [];
  return latest.length > 0 ? latest : [...new Set(sounds.flat())];
}
