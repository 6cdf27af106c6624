import type { CardLink } from "../cards/links.ts";
import { visible } from "../output/sanitize.ts";
import { cut } from "../output/width.ts";
import type { PastReview } from "../schedule/index.ts";
import type { Review } from "../schema/card.ts";
import { linkKeys, type Mode } from "./screen/controller.ts";
import type { Panel, PanelRow } from "./screen/view.ts";
import type { Engine } from "./session/session.ts";
import { currentCard } from "./session/state.ts";
import { recordedSentence, type Summary, summaryRows } from "./session/summary.ts";

/** What the panels say that take the place of the card. Texts are safe to print and on one line each. */

const scrollRows: readonly PanelRow[] = [
  { name: "j k ↑ ↓", value: "scroll a line" },
  { name: "PgUp PgDn g G", value: "scroll a page; to the top, to the end" },
];

const helpRows: readonly PanelRow[] = [
  { name: "space enter", value: "reveal; when all is revealed: remembered" },
  { name: "1 f", value: "forgot" },
  { name: "2 r", value: "remembered" },
  { name: "u", value: "undo the last grade, skip, archive, trash or tags" },
  { name: "s", value: "skip: the card comes back at the end" },
  { name: "e", value: "edit the card in your editor" },
  { name: "t", value: "edit its tags" },
  { name: "o", value: "open a link or an attachment" },
  { name: "a x", value: "archive; trash" },
  { name: "i", value: "details of the card" },
  ...scrollRows,
  { name: "ctrl-z", value: "suspend" },
  { name: "q ctrl-c", value: "quit; everything graded is kept" },
];

/** The keys of a session line by line, where nothing scrolls. */
export const plainHelpRows = helpRows.filter((row) => !scrollRows.includes(row));

export interface PanelInput {
  readonly engine: Engine;
  readonly summary: () => Summary;
  /** The reviews of the cards that only the log may have. */
  readonly logged: ReadonlyMap<string, readonly PastReview[]>;
  deckPath(deckId: string): string;
  /** An instant (ISO 8601) for people. */
  date(instant: string): string;
}

export function panelOf(mode: Mode, input: PanelInput): Panel {
  switch (mode.type) {
    case "help":
      return { title: "Keys", rows: helpRows.map((row) => ({ ...row, strong: true })) };
    case "details":
      return { title: "Details", rows: detailRows(input) };
    case "links":
      return {
        title: "Open",
        rows: mode.links.map((link, index) => ({
          name: linkKeys[index] ?? "",
          value: linkText(link),
          strong: true,
        })),
      };
    default:
      return summaryPanel(input.summary());
  }
}

/** A link for people who choose one. */
export const linkText = ({ label, target }: CardLink): string =>
  oneLine(label === target ? target : `${label}  ${target}`);

function summaryPanel(summary: Summary): Panel {
  const sentence = recordedSentence(summary);
  return {
    title: "Done for now",
    rows: summaryRows(summary),
    ...(sentence === undefined ? {} : { after: [sentence] }),
  };
}

function detailRows({ engine, deckPath, date, logged }: PanelInput): PanelRow[] {
  const state = engine.state();
  const id = currentCard(state) ?? "";
  const due = engine.due.get(id);
  const card = engine.card(id)?.card ?? due;
  if (card === undefined) return [];
  const whole = engine.card(id)?.card;
  const rows: PanelRow[] = [
    { name: "Card", value: id },
    { name: "Deck", value: deckPath(card["deck-id"] ?? "") },
    { name: "Tags", value: (whole?.tags ?? []).join(" ") },
    { name: "Created", value: dateOf(card["created-at"], date) },
    { name: "Changed", value: dateOf(whole?.["updated-at"], date) },
  ];
  const reviews = historyOf(card.reviews ?? [], logged.get(id) ?? []);
  reviews.forEach((review, index) => {
    const outcome = review["remembered?"] ? "remembered" : "forgot";
    const next = review.due == null ? "" : `, due again ${date(review.due)}`;
    const value = `${dateOf(review.date, date)} ${outcome}${next}`;
    rows.push({ name: index === 0 ? "Reviews" : "", value });
  });
  if (reviews.length === 0) rows.push({ name: "Reviews", value: "none yet" });
  return rows.map((row) => ({ ...row, value: oneLine(row.value) })).filter(({ value }) => value !== "");
}

/** The reviews of the service and those of the log, each once, the newest first: it decides when the card is due. */
function historyOf(there: readonly Review[], here: readonly PastReview[]): Review[] {
  const instant = ({ date }: PastReview) => Date.parse(date ?? "");
  const known = new Set(there.map(instant));
  return [...there, ...here.filter((review) => !known.has(instant(review)))].sort(
    (a, b) => instant(b) - instant(a),
  );
}

const dateOf = (instant: string | null | undefined, date: (instant: string) => string): string =>
  instant == null ? "" : date(instant);

/** Text from a service on one line, safe to print. */
export const oneLine = (text: string): string => visible(cut(text, 2000)).replace(/\s+/g, " ").trim();
