import type { CardLink } from "../../cards/links.ts";
import { hasClosed } from "../../cards/passes.ts";
import { visible } from "../../output/sanitize.ts";
import { wrapWords } from "../../output/words.ts";
import { commandOf, helpRows, isScroll, type KeyCommand, says } from "../keymap.ts";
import { helpOf, linkText, oneLine, panelOf } from "../panels.ts";
import {
  manualTags,
  noOtherCard,
  passNow,
  revealedLinks,
  revealedSounds,
  tagLine,
  tagsAction,
  tagsUnknown,
} from "../session/card.ts";
import type { Play } from "../session/play.ts";
import { GUARD_MS } from "../session/reducer.ts";
import type { Session } from "../session/session.ts";
import { currentCard, isOver, toReveal } from "../session/state.ts";
import { answerToType, compareTyped, typedMarks } from "../session/typing.ts";
import { CardPrinter, type CurrentCard } from "./card-printer.ts";
import type { Talk } from "./talk.ts";

interface ReaderSettings {
  readonly play: Play;
  readonly talk: Talk;
  /** Columns of the terminal, now. */
  width(): number;
  /** Resolves when something about the session is true; false if the talk ends before. */
  until(done: () => boolean): Promise<boolean>;
}

/** The line editor would take it for a key. */
const unwritable = "A tag of this card holds a control character: e edits the card.";

/** Prints the session line by line and does what is answered. */
export class Reader {
  readonly #settings: ReaderSettings;
  readonly #printer: CardPrinter;
  #reported = 0;

  constructor(settings: ReaderSettings) {
    this.#settings = settings;
    this.#printer = new CardPrinter(settings);
  }

  /** How many failed changes were reported. */
  get reported(): number {
    return this.#reported;
  }

  /** Prints what is new, asks, and does what is answered. */
  async turn(): Promise<void> {
    const { talk, play } = this.#settings;
    const now = this.#current();
    if (now === undefined) return this.#waitForCard();
    this.#reportFailures();
    this.#printer.print(now);
    const hidden = toReveal(this.#session.state) > 0;
    const { clock } = play.settings;
    const shownAt = clock.ticks();
    const typed = this.#toType(now);
    const question = typed === undefined ? this.#question(hidden, now) : this.#typeQuestion(now);
    // A column is left for what is typed.
    const answer = await talk.ask(`${wrapWords(question, this.#settings.width() - 2)} `);
    if (answer === undefined) return;
    // A card whose answer is "h" is answered: its hint cannot be opened here.
    if (typed !== undefined && (answer !== "h" || typed === "h" || !this.#hasHint(now)))
      this.#compare(answer, typed);
    else {
      const command = answer === "" ? "next" : commandOf(answer);
      const grades = !hidden && (command === "next" || command === "forgot" || command === "remembered");
      // What was typed before the card could be read is no grade.
      if (grades && clock.ticks() - shownAt < GUARD_MS) return;
      await this.#act(answer, command, now);
    }
    const { message } = this.#session;
    if (!this.#reportFailures() && message !== undefined) talk.print(oneLine(message));
    this.#session.say(undefined);
  }

  get #session(): Session {
    return this.#settings.play.session;
  }

  #current(): CurrentCard | undefined {
    const { state } = this.#session;
    const cardId = currentCard(state);
    const card = cardId === undefined ? undefined : this.#session.card(cardId);
    const pass = card && passNow(state, card);
    return cardId === undefined || card === undefined || pass === undefined
      ? undefined
      : { cardId, card, pass };
  }

  async #waitForCard(): Promise<void> {
    const { talk, until } = this.#settings;
    const here = () => this.#current() !== undefined || isOver(this.#session.state);
    if (!(await until(() => here() || this.#session.trouble !== undefined)) || here()) return;
    const reason = oneLine(this.#session.trouble ?? "");
    talk.print(`The service does not answer (${reason}); trying again. Ctrl-C quits.`);
    await until(here);
  }

  #question(hidden: boolean, now: CurrentCard): string {
    if (hidden) return `Enter to reveal${this.#hasHint(now) ? ", h for a hint" : ""} (? for all keys):`;
    const outlook = this.#settings.play.outlook();
    if (outlook === undefined) return "Did you remember? 2 or Enter yes, 1 no:";
    return `Did you remember? 2 or Enter yes, then ${outlook.remembered}; 1 no, then ${outlook.forgot}:`;
  }

  #typeQuestion(now: CurrentCard): string {
    return `Type the answer (Enter shows it${this.#hasHint(now) ? ", h opens the hint" : ""}):`;
  }

  #hasHint({ card, pass }: CurrentCard): boolean {
    return hasClosed(card.presentation, pass, this.#session.state.position);
  }

  #toType({ card, pass }: CurrentCard): string | undefined {
    const { play } = this.#settings;
    return play.settings.typing ? answerToType(card, pass, this.#session.state.position.step) : undefined;
  }

  #compare(typed: string, answer: string): void {
    this.#session.act({ type: "reveal", key: "" });
    if (typed === "") return;
    const parts = compareTyped(typed, answer);
    const same = parts.every(({ kind }) => kind === "same");
    this.#settings.talk.print(
      same ? "What you typed is the answer." : `Typed, with differences: ${visible(typedMarks(parts))}`,
    );
  }

  async #act(line: string, command: KeyCommand | undefined, now: CurrentCard): Promise<void> {
    const { talk, play } = this.#settings;
    const session = this.#session;
    const hidden = toReveal(session.state) > 0;
    const unknown = () => talk.print(oneLine(says.noKey(line)));
    if (command === undefined || isScroll(command)) return unknown();
    switch (command) {
      case "next":
        return hidden
          ? session.act({ type: "reveal", key: line })
          : session.act({ type: "grade", remembered: true, key: line });
      case "forgot":
      case "remembered":
        if (hidden) return talk.print(says.notShown);
        return session.act({ type: "grade", remembered: command === "remembered", key: line });
      case "hint":
        return this.#hasHint(now) ? session.act({ type: "hint" }) : talk.print(says.noHint);
      case "other-grade":
        return talk.print(says.grades);
      case "undo":
        return session.act({ type: "undo" });
      case "skip":
        if (session.state.position.queue.length < 2) return talk.print(noOtherCard);
        return session.act({ type: "skip" });
      case "archive":
        return session.act({ type: "remove", change: "archive" });
      case "help":
        return talk.print(
          ...helpRows({ ...helpOf(play), plain: true }).map(({ name, value }) => `${name}: ${value}`),
        );
      case "details":
        return this.#details();
      case "quit":
        return talk.end();
      case "play": {
        const sounds = revealedSounds(now.card, now.pass, session.state.position);
        if (sounds.length === 0) return talk.print("There is no sound on what is revealed.");
        return this.#saying(play.settings.world.play(now.cardId, sounds));
      }
      case "trash":
      case "tags":
      case "open":
      case "edit":
        return this.#actWithQuestion(command, now);
      case "suspend":
      case "redraw":
        return unknown();
      default:
        return command satisfies never;
    }
  }

  async #actWithQuestion(command: "trash" | "tags" | "open" | "edit", now: CurrentCard): Promise<void> {
    const { talk, play } = this.#settings;
    const session = this.#session;
    switch (command) {
      case "trash": {
        const answer = (await talk.ask("Trash this card? (y/n) ")) ?? "";
        if (/^y(es)?$/i.test(answer)) session.act({ type: "remove", change: "trash" });
        return;
      }
      case "tags":
        return this.#editTags(now);
      case "open":
        return this.#openLink(now);
      case "edit":
        play.pause();
        await this.#saying(talk.aside(() => play.settings.world.edit(now.cardId)));
        await session.refresh(now.cardId);
        this.#printer.forget();
        return play.resume();
    }
  }

  async #editTags({ card }: CurrentCard): Promise<void> {
    const { talk } = this.#settings;
    if (card.partial) return talk.print(tagsUnknown);
    const { text, separator } = tagLine(manualTags(card));
    if (visible(text) !== text || /[\t\n]/.test(text)) return talk.print(unwritable);
    const answer = await talk.ask(`Tags (with ${separator}s between): `, text);
    if (answer === undefined) return;
    const action = tagsAction(card, answer, separator);
    if (action !== undefined) this.#session.act(action);
  }

  async #openLink({ card, pass, cardId }: CurrentCard): Promise<void> {
    const { talk, play } = this.#settings;
    const links = revealedLinks(card, pass, this.#session.state.position);
    if (links.length === 0) return talk.print("There is nothing to open on what is revealed.");
    const link = links.length === 1 ? links[0] : await this.#askWhich(links);
    if (link !== undefined) await this.#saying(play.settings.world.open(cardId, link));
  }

  /** By number: a line may hold any. */
  async #askWhich(links: readonly CardLink[]): Promise<CardLink | undefined> {
    const { talk } = this.#settings;
    talk.print(...links.map((link, index) => `${index + 1}  ${linkText(link)}`));
    const answer = await talk.ask("Which one? ");
    return /^\d+$/.test(answer ?? "") ? links[Number(answer) - 1] : undefined;
  }

  #details(): void {
    const { play, talk } = this.#settings;
    const { date, world } = play.settings;
    const panel = panelOf({ type: "details" }, { play, date, deckPath: world.deckPath });
    talk.print(...panel.rows.map(({ name, value }) => (name === "" ? `  ${value}` : `${name}: ${value}`)));
  }

  async #saying(work: Promise<string | undefined>): Promise<void> {
    const message = await work.catch((error: unknown) =>
      error instanceof Error ? error.message : String(error),
    );
    if (message !== undefined) this.#settings.talk.print(oneLine(message));
  }

  /** A change that fails does so while something else is asked: it is reported at the next turn. */
  #reportFailures(): boolean {
    const fresh = this.#session.changes.failures.slice(this.#reported);
    this.#reported += fresh.length;
    if (fresh.length > 0) this.#settings.talk.print(...fresh.map((text) => oneLine(`Note: ${text}`)));
    return fresh.length > 0;
  }
}
