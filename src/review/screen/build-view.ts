import { cut, displayWidth } from "../../output/width.ts";
import { LEECH_LAPSES } from "../../schedule/lapses.ts";
import { visiblePart } from "../../terminal/line-input.ts";
import type { BottomView, KeyHint, ScreenView, TopView } from "../../terminal/view.ts";
import { fits, fittingKeys, panelLines, tooSmall, wrapText } from "../../terminal/view.ts";
import { hintOf } from "../keymap.ts";
import { oneLine, panelOf } from "../panels.ts";
import type { Play } from "../session/play.ts";
import { againText, currentCard, isOver, placeOf, placeText, toReveal } from "../session/state.ts";
import { clockTime } from "../session/summary.ts";
import { measure } from "./body.ts";
import { type Controller, isPanel } from "./controller.ts";

interface ViewInput {
  readonly play: Play;
  readonly controller: Controller;
  readonly columns: number;
  readonly rows: number;
  readonly colour: boolean;
}

export function buildView(input: ViewInput): ScreenView {
  const { columns, rows, colour } = input;
  if (!fits(input)) return tooSmall(input);
  const bottom = bottomView(input);
  return { columns, rows, colour, top: topView(input), body: bodyView(input), bottom };
}

function topView({ play, columns }: ViewInput): TopView {
  const { session, recording } = play;
  const { notice } = recording;
  const { all, finished } = placeOf(session.state);
  const cardId = currentCard(session.state);
  const deckId = session.due.get(cardId ?? "")?.["deck-id"];
  const leech = isLeech(play) ? "leech" : undefined;
  const isRecorded = recording.recorded === "service";
  const short = notice !== undefined && columns < 60 && !isRecorded ? "not recorded" : notice;
  return {
    deck: deckId == null ? "" : oneLine(play.settings.world.deckPath(deckId)),
    position: [play.kind(), placeText(session.state)].filter(Boolean).join(" · "),
    again: againText(session.state),
    done: all === 0 ? 1 : finished / all,
    elapsed: isOver(session.state) ? "" : clockTime(play.elapsed() / 1000),
    notice: [leech, short].filter((part) => part !== undefined).join(", ") || undefined,
  };
}

function isLeech(play: Play): boolean {
  const cardId = currentCard(play.session.state);
  return cardId !== undefined && play.lapses(cardId) >= LEECH_LAPSES;
}

function bodyView(input: ViewInput): readonly string[] {
  const { controller, play, columns, rows } = input;
  const { mode, scroll: from } = controller;
  const height = rows - 2;
  const shown = isPanel(mode) ? panelLines(panelOf(mode, play), input) : controller.onScreen()?.lines;
  if (shown !== undefined) return shown.slice(from, from + height);
  const { trouble } = play.session;
  const { margin, width } = measure(columns);
  const texts =
    trouble === undefined
      ? ["Fetching the card…"]
      : ["The service does not answer; trying again…", `(${oneLine(trouble)})`];
  return ["", ...texts.map((text) => " ".repeat(margin) + cut(text, width))];
}

function bottomView(input: ViewInput): BottomView {
  const { controller, play, columns } = input;
  const { mode } = controller;
  if (mode.type === "tags" || mode.type === "typing") {
    const prompt = mode.type === "typing" ? "Answer (Esc: keys): " : `Tags, separated by ${mode.parts}: `;
    const room = columns - displayWidth(prompt);
    return { keys: [], input: { prompt, ...visiblePart(mode.input, room) } };
  }
  if (mode.type === "trash")
    return {
      keys: [
        { key: "y", does: "trash this card" },
        { key: "n", does: "keep it" },
      ],
    };
  const notice = noticeOf(input);
  const said = play.session.message;
  if (said !== undefined) {
    const message = wrapText(oneLine(said), columns).slice(0, input.rows - 2);
    // What is said for a moment must be read now; what goes on comes back after it.
    const both = message.length === 1 && displayWidth(`${message[0]}  ${notice ?? ""}`) <= columns;
    return { keys: [], message, notice: both ? notice : undefined };
  }
  const room = columns - (notice === undefined ? 0 : displayWidth(notice) + 2);
  return { keys: fittingKeys(keysOf(input), room, dispensable), notice };
}

/** What goes on at the right: answers that are kept here, else that there is more below. */
function noticeOf(input: ViewInput): string | undefined {
  const { controller, play, rows, columns } = input;
  const outbox = play.recording.status;
  if (outbox?.away !== undefined && outbox.waiting > 0) {
    return columns < 60
      ? `offline, ${outbox.waiting} kept`
      : `The service does not answer: ${kept(outbox.waiting)}`;
  }
  if (outbox?.failing !== undefined && outbox.waiting > 0)
    return columns < 60 ? `${outbox.waiting} kept` : `The service failed: ${kept(outbox.waiting)}`;
  const { mode, scroll } = controller;
  const card = controller.onScreen();
  if (card?.card.partial && !isPanel(mode))
    return columns < 60 ? "incomplete" : "The service does not answer: shown without its template";
  const lines = isPanel(mode) ? panelLines(panelOf(mode, play), input) : (card?.lines ?? []);
  const below = lines.length - scroll - (rows - 2);
  if (below > 0) return `↓ ${below} more`;
  if (scroll > 0) return "↑ more";
  return columns >= 80 && card !== undefined && toReveal(play.session.state) > 0 ? play.scheduled : undefined;
}

const kept = (count: number): string => (count === 1 ? "1 answer is kept" : `${count} answers are kept`);

function keysOf({ controller, play }: ViewInput): KeyHint[] {
  const { mode } = controller;
  const { state } = play.session;
  const undo = state.history.length > 0 ? [hintOf("undo")] : [];
  const end = [hintOf("help"), hintOf("quit")];
  if (mode.type === "summary") return [...undo, { key: "enter", does: "leave" }];
  if (mode.type === "links") return [{ key: "esc", does: "back to the card" }];
  if (isPanel(mode)) return [{ key: "any key", does: "back to the card" }];
  if (controller.onScreen() === undefined) return [hintOf("skip"), ...undo, ...end];
  const hint = controller.pane.hasHint ? [hintOf("hint")] : [];
  if (controller.pane.unseen) return [hintOf("next", "page down"), ...hint, hintOf("skip"), ...undo, ...end];
  if (toReveal(state) > 0) return [hintOf("next"), ...hint, hintOf("skip"), ...undo, ...end];
  const leech = isLeech(play) ? [hintOf("archive"), hintOf("edit")] : [];
  return [...gradeHints(play), ...leech, ...undo, ...end];
}

function gradeHints(play: Play): KeyHint[] {
  const outlook = play.outlook();
  return (["forgot", "remembered"] as const).map((grade) => {
    const hint = hintOf(grade);
    return outlook === undefined ? hint : { ...hint, leads: `→ ${outlook[grade]}` };
  });
}

/** Keys that are left out where there is no room for all, the first first. */
const dispensable = ["u", "q", "s", "e", "a"];
