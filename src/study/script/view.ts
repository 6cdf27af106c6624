import type { Session } from "../../review/session/session.ts";
import {
  currentCard,
  currentPass,
  isOver,
  placeOf,
  placeText,
  toReveal,
} from "../../review/session/state.ts";
import { resultsOf, resultsText } from "../../review/session/summary.ts";
import { compareTyped, typedLines } from "../../review/session/typing.ts";
import type { PageCard } from "./play.ts";

/** The parts of the page. */
export const element = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;

const field = () => element<HTMLInputElement>("typed");

/** Draws the session into the page. */
export class View {
  readonly #session: Session<PageCard>;
  readonly #isTyped = new URLSearchParams(location.search).has("type");
  /** What the article shows: not drawn again while it is the same, or a picture and a screen reader would begin anew. */
  #shown = "";

  constructor(session: Session<PageCard>) {
    this.#session = session;
  }

  get #state() {
    return this.#session.state;
  }

  /** The card and the pass that are asked; undefined while they are fetched, and at the end. */
  get #asked() {
    const card = this.#session.card(currentCard(this.#state) ?? "")?.card;
    const id = currentPass(this.#state)?.id;
    const pass = card?.passes.find((each) => each.id === id);
    return card && pass && { card, pass };
  }

  /** Whether an answer is to be typed now. */
  get #isTyping(): boolean {
    return this.#isTyped && this.#asked?.pass.typed[this.#state.position.step] != null;
  }

  draw(): void {
    const { state, recording, message, trouble } = this.#session;
    const { waiting = 0, refused = [], away, failing } = recording.status ?? {};
    const { at, all, finished } = placeOf(state);
    Object.assign(element("bar"), { max: Math.max(1, all), value: finished });
    element("place").textContent = isOver(state) || at === 0 ? "" : placeText(state);
    const lost = refused.length > 0 ? `Not recorded: ${refused.at(-1)?.reason}. ` : "";
    const why = away ?? failing;
    const kept = why === undefined || waiting === 0 ? "" : `${waiting} kept here until sent (${why}).`;
    say(`${message ?? ""} ${lost}${kept}`.trim() || (trouble ?? ""));
    const isNew = isOver(state) ? this.#fillEnd() : this.#fillCard();
    this.#drawControls();
    if (isNew) this.#begin();
  }

  /** Which controls there are, by what is asked for. */
  #drawControls(): void {
    const isAll = toReveal(this.#state) === 0;
    const asks = isAll ? "grade" : this.#isTyping ? "typing" : "reveal";
    document.body.dataset["asks"] = this.#asked === undefined ? "nothing" : asks;
    const isOpen = isAll || this.#state.position.opened;
    const details = element("card").querySelectorAll("details");
    if (isOpen) for (const each of details) each.open = true;
    element("hint").hidden = isOpen || details.length === 0;
    element("play").hidden = element("card").querySelector("audio") === null;
  }

  /** Something else is shown: the focus goes there, and what was revealed is in view. */
  #begin(): void {
    const { step } = this.#state.position;
    field().value = "";
    const focused = this.#isTyping ? field() : element("card");
    focused.focus({ preventScroll: step > 0 });
    // All of what was revealed, or at least its beginning.
    const revealed = [element("card").lastElementChild, [...document.querySelectorAll("hr.side")].at(-1)];
    if (step > 0) for (const each of revealed) each?.scrollIntoView({ block: "nearest" });
    else scrollTo(0, 0);
  }

  #fillCard(): boolean {
    if (this.#asked === undefined) {
      this.#fill("waiting", "<p>One moment…</p>", "Review");
      return false;
    }
    const { card, pass } = this.#asked;
    const { position, history } = this.#state;
    const html = pass.shown[position.step]?.map((key) => card.html[key]).join('<hr class="side">');
    const typed = typedHtml(field().value, pass.typed[position.step - 1] ?? "");
    // Undone or asked again it is drawn anew.
    const key = `${card.id} ${pass.id} ${position.step} ${history.length}`;
    return this.#fill(key, html + typed, card.deck || "Review");
  }

  #fillEnd(): boolean {
    const results = resultsOf(this.#state);
    const text = results.cards === 0 ? "Nothing is left to review now." : resultsText(results);
    return this.#fill(`over ${text}`, `<p>${text}</p>${element("end").innerHTML}`, "Done");
  }

  /** @returns whether it is something else than before */
  #fill(key: string, html: string, heading: string): boolean {
    if (key === this.#shown) return false;
    this.#shown = key;
    element("deck").textContent = heading;
    // The server has cleaned it, and the page's policy lets nothing in it run.
    element("card").innerHTML = html;
    return true;
  }
}

export function say(text: string): void {
  const message = element("message");
  if (message.textContent !== text) message.textContent = text;
}

const escaped = (text: string) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
const marked = (name: string) => (text: string) => `<${name}>${text}</${name}>`;

/** What was typed above what the card has; nothing where that was not asked for. */
function typedHtml(typed: string, answer: string): string {
  if (typed === "" || answer === "") return "";
  const parts = compareTyped(typed, answer).map(({ kind, text }) => ({ kind, text: escaped(text) }));
  const lines = typedLines(parts, { wrong: marked("del"), missing: marked("ins") });
  return `<p class="typed">${lines.join("<br>")}</p>`;
}
