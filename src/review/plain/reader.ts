import type { CardLink } from "../../cards/links.ts";
import { hasClosed } from "../../cards/passes.ts";
import { visible } from "../../output/sanitize.ts";
import { wrapWords } from "../../output/words.ts";
import { type FrontEnd, perform } from "../commands.ts";
import { commandOf, helpRows, isScroll, says } from "../keymap.ts";
import { helpOf, linkText, oneLine, panelOf } from "../panels.ts";
import { passNow, tagsAction } from "../session/card.ts";
import type { Play } from "../session/play.ts";
import { GUARD_MS } from "../session/reducer.ts";
import { currentCard, isOver, toReveal } from "../session/state.ts";
import { answerToType, compareTyped, typedLines } from "../session/typing.ts";
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
    else await this.#act(answer, now, shownAt);
    const { message } = this.#session;
    if (!this.#reportFailures() && message !== undefined) talk.print(oneLine(message));
    this.#session.say(undefined);
  }

  get #session(): Play["session"] {
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
    this.#settings.talk.print(...typedLines(compareTyped(typed, answer)));
  }

  async #act(line: string, now: CurrentCard, shownAt: number): Promise<void> {
    const command = line === "" ? "next" : commandOf(line);
    if (command === undefined || isScroll(command) || command === "suspend" || command === "redraw")
      return this.#settings.talk.print(oneLine(says.noKey(line)));
    const { step, opened } = this.#session.state.position;
    await perform(command, line, { ...now, step, opened }, this.#settings.play, this.#front(shownAt));
  }

  #front(shownAt: number): FrontEnd {
    const { talk, play } = this.#settings;
    const { world, clock } = play.settings;
    return {
      // What was typed before the card could be read is no grade.
      isSideSeen: () => clock.ticks() - shownAt >= GUARD_MS,
      confirmTrash: async () => {
        const answer = (await talk.ask("Trash this card? (y/n) ")) ?? "";
        if (/^y(es)?$/i.test(answer)) this.#session.act({ type: "remove", change: "trash" });
      },
      editTags: async ({ card }, { text, separator }) => {
        if (visible(text) !== text || /[\t\n]/.test(text)) return talk.print(unwritable);
        const answer = await talk.ask(`Tags (with ${separator}s between): `, text);
        const action = answer === undefined ? undefined : tagsAction(card, answer, separator);
        if (action !== undefined) this.#session.act(action);
      },
      openLink: ({ cardId }, link) => this.#saying(world.open(cardId, link)),
      chooseLink: async ({ cardId }, links) => {
        const link = await this.#askWhich(links);
        if (link !== undefined) await this.#saying(world.open(cardId, link));
      },
      play: ({ cardId }, sounds) => this.#saying(world.play(cardId, sounds)),
      edit: async ({ cardId }) => {
        play.pause();
        await this.#saying(world.edit(cardId));
        await this.#session.refresh(cardId);
        this.#printer.forget();
        play.resume();
      },
      show: (panel) => (panel === "help" ? this.#help() : this.#details()),
      quit: () => talk.end(),
    };
  }

  /** By number: a line may hold any. */
  async #askWhich(links: readonly CardLink[]): Promise<CardLink | undefined> {
    const { talk } = this.#settings;
    talk.print(...links.map((link, index) => `${index + 1}  ${linkText(link)}`));
    const answer = await talk.ask("Which one? ");
    return /^\d+$/.test(answer ?? "") ? links[Number(answer) - 1] : undefined;
  }

  #help(): void {
    const { play, talk } = this.#settings;
    const rows = helpRows({ ...helpOf(play), plain: true });
    talk.print(...rows.map(({ name, value }) => `${name}: ${value}`));
  }

  #details(): void {
    const { play, talk } = this.#settings;
    const panel = panelOf({ type: "details" }, play);
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
