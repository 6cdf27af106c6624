import type { CardLink } from "../cards/links.ts";
import { relativeDate, relativeDay } from "../output/relative.ts";
import { visible } from "../output/sanitize.ts";
import { cut } from "../output/width.ts";
import { dateOfDay } from "../schedule/days.ts";
import { LEECH_LAPSES } from "../schedule/lapses.ts";
import type { Panel, PanelRow } from "../terminal/view.ts";
import { helpRows, linkKeys } from "./keymap.ts";
import type { Play } from "./session/play.ts";
import { currentCard } from "./session/state.ts";
import { recordedSentence, summaryLines } from "./session/summary.ts";

/** What the panels say that take the place of the card. Texts are safe to print and on one line each. */

/** Which panel; anything else is the summary. */
type PanelKind = { readonly type: string; readonly links?: readonly CardLink[] };

export function panelOf({ type, links = [] }: PanelKind, play: Play): Panel {
  switch (type) {
    case "help":
      return { title: "Keys", rows: helpRows().map((row) => ({ ...row, strong: true })) };
    case "details":
      return { title: "Details", rows: detailRows(play) };
    case "links":
      return {
        title: "Open",
        rows: links.map((link, index) => ({
          name: linkKeys[index] ?? "",
          value: linkText(link),
          strong: true,
        })),
      };
    default:
      return summaryPanel(play);
  }
}

export const linkText = ({ label, target }: CardLink): string =>
  oneLine(label === target ? target : `${label}  ${target}`);

function summaryPanel(play: Play): Panel {
  const summary = play.summary();
  return {
    title: "Done for now",
    rows: summaryLines(summary).map((value) => ({ name: "", value })),
    after: recordedSentence(summary),
  };
}

function detailRows(play: Play): PanelRow[] {
  const { session, settings } = play;
  const [now, { world }] = [settings.clock.now(), settings];
  const id = currentCard(session.state) ?? "";
  const whole = session.card(id)?.card;
  const card = whole ?? session.due.get(id);
  if (card === undefined) return [];
  const rows: PanelRow[] = [
    { name: "Card", value: id },
    { name: "Deck", value: world.deckPath(card["deck-id"] ?? "") },
    { name: "Tags", value: (whole?.tags ?? []).join(" ") },
    { name: "Created", value: dateOf(card["created-at"], now) },
    { name: "Changed", value: dateOf(whole?.["updated-at"], now) },
    ...memoryRows(play, id),
  ];
  const dues = new Map((card.reviews ?? []).map((review) => [Date.parse(review.date ?? ""), review.due]));
  // The newest decides when the card is due.
  const reviews = session
    .reviewsOf(id)
    .map((review) => ({ at: Date.parse(review.date ?? ""), remembered: review["remembered?"] }))
    .filter(({ at }, index, all) => all.findIndex((other) => other.at === at) === index)
    .sort((a, b) => b.at - a.at);
  reviews.forEach(({ at, remembered }, index) => {
    const due = dues.get(at);
    const next = due == null ? "" : `, due again ${dayText(due, settings)}`;
    const when = Number.isNaN(at) ? "" : dateOf(new Date(at).toISOString(), now);
    rows.push({
      name: index === 0 ? "Reviews" : "",
      value: `${when} ${remembered ? "remembered" : "forgot"}${next}`,
    });
  });
  if (reviews.length === 0) rows.push({ name: "Reviews", value: "none yet" });
  return rows.map((row) => ({ ...row, value: oneLine(row.value) })).filter(({ value }) => value !== "");
}

/** What FSRS makes of the history: how long the card is remembered, how hard it is, and the chance to recall it now. */
function memoryRows(play: Play, cardId: string): PanelRow[] {
  const { settings } = play;
  const memory = play.memoryOf(cardId).at(-1);
  if (memory === undefined) return [];
  const recall = settings.scheduler.recallAt(memory, settings.clock.now());
  const count = play.lapses(cardId);
  const leech = count >= LEECH_LAPSES ? ", a leech: another wording may help" : "";
  return [
    { name: "Stability", value: `${decimal(memory.stability)} days` },
    { name: "Difficulty", value: `${decimal(memory.difficulty)} of 10` },
    { name: "Recall now", value: `${Math.round(recall * 100)} %` },
    { name: "Lapses", value: `${count}${leech}` },
  ];
}

const decimal = (value: number): string => value.toFixed(value < 10 ? 1 : 0);

/** The day of the user that a due instant is in. */
function dayText(due: string, { days, clock }: Play["settings"]): string {
  const time = Date.parse(due);
  if (Number.isNaN(time)) return due;
  const { dayOf } = days;
  return `${dateOfDay(dayOf(time))} (${relativeDay(due, { now: clock.now(), dayOf })})`;
}

/** The date of an event on the clock of this machine, and how long ago that was. */
function dateOf(instant: string | null | undefined, now: number): string {
  const at = Date.parse(instant ?? "");
  if (instant == null || Number.isNaN(at)) return instant ?? "";
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return `${local.toISOString().slice(0, 10)} (${relativeDate(instant, now)})`;
}

/** Text from a service on one line, safe to print. */
export const oneLine = (text: string): string => visible(cut(text, 2000)).replace(/\s+/g, " ").trim();
