import type { Session } from "../../review/session/session.ts";
import {
  currentCard,
  currentPass,
  isOver,
  placeOf,
  placeText,
  progressOf,
  toReveal,
} from "../../review/session/state.ts";
import { compareTyped, typedLines } from "../../review/session/typing.ts";
import type { StudyCard, StudyPass } from "../shapes.ts";
import type { PageCard } from "./play.ts";

/** The parts of the page. */
export const element = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;

/** Draws the session into the page. */
export class View {
  readonly #session: Session<PageCard>;
  readonly #typing: boolean;
  readonly #ends: boolean;
  /** What the article shows: not drawn again while it is the same, or a picture and a screen reader would begin anew. */
  #shown = "";
  #typed: string | undefined;

  /** @param ends whether the program that serves the page ends with the review */
  constructor(session: Session<PageCard>, typing: boolean, ends: boolean) {
    this.#session = session;
    this.#typing = typing;
    this.#ends = ends;
  }

  /** The answer that is to be typed now; undefined where none is. */
  get wanted(): string | undefined {
    const { step, opened } = this.#state.position;
    return this.#typing && !opened ? (this.#pass?.typed[step] ?? undefined) : undefined;
  }

  get #state() {
    return this.#session.state;
  }

  get #card(): StudyCard | undefined {
    return this.#session.card(currentCard(this.#state) ?? "")?.card;
  }

  get #pass(): StudyPass | undefined {
    const id = currentPass(this.#state)?.id;
    return this.#card?.passes.find((pass) => pass.id === id);
  }

  /** What was typed is shown with what is revealed next. */
  typed(text: string): void {
    this.#typed = text;
  }

  draw(): void {
    const session = this.#session;
    const over = isOver(session.state);
    const { waiting = 0, refused = [], away } = session.recording.status ?? {};
    const { at, all, finished } = placeOf(session.state);
    const bar = element<HTMLProgressElement>("bar");
    bar.max = Math.max(1, all);
    bar.value = finished;
    element("place").textContent = over || at === 0 ? "" : placeText(session.state);
    const lost = refused.length > 0 ? `Not recorded: ${refused.at(-1)?.reason}. ` : "";
    const kept = away === undefined || waiting === 0 ? "" : `${waiting} kept here until sent (${away}). `;
    say(session.message || lost + kept || (session.trouble ?? ""));
    for (const id of ["grades", "skip", "not-today"]) element(id).hidden = over || this.#card === undefined;
    if (over) this.#drawEnd(away === undefined ? 0 : waiting);
    else this.#drawCard();
  }

  #drawCard(): void {
    const [state, card, pass] = [this.#state, this.#card, this.#pass];
    const { step, opened } = state.position;
    const all = toReveal(state) === 0;
    if (card === undefined || pass === undefined) {
      this.#fill("waiting", "<p>One moment…</p>", "Review");
      return;
    }
    const html = (pass.shown[step] ?? []).map((index) => card.html[index]).join('<hr class="side">');
    const typed = this.#typed === undefined ? "" : typedHtml(this.#typed, pass.typed[step - 1] ?? "");
    // Undone or asked again it is drawn anew.
    const key = `${card.id} ${pass.id} ${step} ${state.history.length}`;
    const isNew = this.#fill(key, html + typed, card.deck || "Review");
    if (step === 0) this.#typed = undefined;
    const details = element("card").querySelectorAll("details");
    if (all || opened) for (const each of details) each.open = true;
    element("hint").hidden = all || opened || details.length === 0;
    element("play").hidden = element("card").querySelector("audio") === null;
    element("typing").hidden = this.wanted === undefined || all;
    element("next").hidden = all || this.wanted !== undefined;
    for (const id of ["forgot", "remembered"]) element(id).hidden = !all;
    if (!isNew) return;
    performance.mark("first-card");
    const field = element<HTMLInputElement>("typed");
    field.value = "";
    const focused = this.wanted === undefined ? element("card") : field;
    focused.focus({ preventScroll: step > 0 });
    // All of what was revealed, or at least its beginning.
    const revealed = [element("card").lastElementChild, [...document.querySelectorAll("hr.side")].at(-1)];
    if (step > 0) for (const each of revealed) each?.scrollIntoView({ block: "nearest" });
    else scrollTo(0, 0);
  }

  #drawEnd(waiting: number): void {
    const { position } = this.#state;
    const answered = Object.keys(position.progress).flatMap((id) => {
      const { outcome, seconds = 0 } = progressOf(position, id) ?? {};
      return outcome === undefined || seconds === 0 ? [] : [outcome];
    });
    const right = answered.filter((outcome) => outcome).length;
    const share = answered.length === 0 ? "" : ` (${Math.round((right / answered.length) * 100)} %)`;
    const cards = answered.length === 1 ? "card" : "cards";
    const sent = waiting === 0 ? "" : "<p>Some answers are kept here until there is a connection.</p>";
    const next = this.#ends
      ? '<p><button id="done" class="main">Finish</button></p>'
      : '<p><a class="button main" href="./">Decks</a></p>';
    for (const id of ["typing", "hint", "play"]) element(id).hidden = true;
    const text =
      answered.length === 0
        ? "<p>Nothing is left to review now.</p>"
        : `<p>${answered.length} ${cards} · ${right} remembered${share}</p>`;
    if (this.#fill(`over ${answered.length} ${right} ${waiting}`, text + sent + next, "Done"))
      element("card").focus();
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

/** What was typed above what the card has. */
function typedHtml(typed: string, answer: string): string {
  const parts = compareTyped(typed, answer).map(({ kind, text }) => ({ kind, text: escaped(text) }));
  const [wrong, missing] = ["del", "ins"].map((name) => (text: string) => `<${name}>${text}</${name}>`);
  const styles = wrong && missing && { wrong, missing };
  return `<p class="typed">${typedLines(parts, styles).join("<br>")}</p>`;
}
