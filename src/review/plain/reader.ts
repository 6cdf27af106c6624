import type { CardLink } from "../../cards/links.ts";
import { hasClosed, type Reached, type ShownSide, type Side, sideAt, stepAt } from "../../cards/passes.ts";
import { visible } from "../../output/sanitize.ts";
import { wrapWords } from "../../output/words.ts";
import { LEECH_LAPSES } from "../../schedule/lapses.ts";
import { type FrontEnd, perform } from "../commands.ts";
import { commandOf, helpRows, isScroll, says } from "../keymap.ts";
import { linkText, oneLine, panelOf } from "../panels.ts";
import { revealedSounds, type ShownCard, shownCard, tagsAction } from "../session/card.ts";
import type { Play } from "../session/play.ts";
import { GUARD_MS } from "../session/reducer.ts";
import { againText, isOver, placeText, toReveal } from "../session/state.ts";
import { answerToType, compareTyped, typedLines } from "../session/typing.ts";
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
  /** What was printed last, so that nothing is printed twice. */
  #printed: (Required<Reached> & { readonly asked: string }) | undefined;

  constructor(settings: ReaderSettings) {
    this.#settings = settings;
  }

  /** Prints what is new, asks, and does what is answered. */
  async turn(): Promise<void> {
    const { talk, play } = this.#settings;
    const now = shownCard(this.#session);
    if (now === undefined) return this.#waitForCard();
    this.#reportFailures();
    this.#print(now);
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

  /** Prints what is new since the last time: the sides of the card, each once. */
  #print({ cardId, card, pass, step, opened }: ShownCard): void {
    const { talk, play, width } = this.#settings;
    const { state } = this.#session;
    // Another answer, skip or undo lies between two times that the same pass is printed.
    const moves = state.history.filter(({ position }) => position !== undefined).length;
    const asked = `${moves} ${cardId} ${pass.kind} ${pass.group}`;
    const last = this.#printed?.asked === asked && this.#printed.step >= step - 1 ? this.#printed : undefined;
    if (last?.step === step && last.opened === opened) return;
    if (last === undefined) this.#printHead(cardId);
    const options = { width: Math.max(20, width() - 1), card: card.card };
    const sideOf = ({ index }: ShownSide, reached: Reached): Side | undefined => {
      const side = card.presentation.sides[index];
      return side && sideAt(side, pass, reached);
    };
    const shown = stepAt(pass, step);
    const revealed = last?.step !== step;
    for (const each of shown) {
      const side = sideOf(each, state.position);
      const isNew = last === undefined || (revealed && each === shown.at(-1)) || side !== sideOf(each, last);
      if (side !== undefined && isNew)
        talk.print("", ...play.settings.world.render(side, { ...options, cloze: each.cloze }), "");
    }
    this.#printed = { asked, step, opened };
    const plays = play.settings.autoplay && revealed;
    const sounds = plays ? revealedSounds(card, pass, state.position) : [];
    if (sounds.length > 0) void play.settings.world.play(cardId, sounds);
  }

  #printHead(cardId: string): void {
    const { talk, play } = this.#settings;
    const { state, due } = this.#session;
    const deck = play.settings.world.deckPath(due.get(cardId)?.["deck-id"] ?? "");
    talk.print("", `Card ${placeText(state)}${againText(state)}. ${oneLine(deck)} (${play.kind()})`);
    const lapses = play.lapses(cardId);
    if (lapses >= LEECH_LAPSES) talk.print(`A leech: forgotten ${lapses} times. a archives it, e edits it.`);
  }

  async #waitForCard(): Promise<void> {
    const { talk, until } = this.#settings;
    const here = () => shownCard(this.#session) !== undefined || isOver(this.#session.state);
    if (!(await until(() => here() || this.#session.trouble !== undefined)) || here()) return;
    const reason = oneLine(this.#session.trouble ?? "");
    talk.print(`The service does not answer (${reason}); trying again. Ctrl-C quits.`);
    await until(here);
  }

  #question(hidden: boolean, now: ShownCard): string {
    if (hidden) return `Enter to reveal${this.#hasHint(now) ? ", h for a hint" : ""} (? for all keys):`;
    const outlook = this.#settings.play.outlook();
    if (outlook === undefined) return "Did you remember? 2 or Enter yes, 1 no:";
    return `Did you remember? 2 or Enter yes, then ${outlook.remembered}; 1 no, then ${outlook.forgot}:`;
  }

  #typeQuestion(now: ShownCard): string {
    return `Type the answer (Enter shows it${this.#hasHint(now) ? ", h opens the hint" : ""}):`;
  }

  #hasHint({ card, pass }: ShownCard): boolean {
    return hasClosed(card.presentation, pass, this.#session.state.position);
  }

  #toType({ card, pass }: ShownCard): string | undefined {
    const { play } = this.#settings;
    return play.settings.typing ? answerToType(card, pass, this.#session.state.position.step) : undefined;
  }

  #compare(typed: string, answer: string): void {
    this.#session.act({ type: "reveal", key: "" });
    if (typed === "") return;
    this.#settings.talk.print(...typedLines(compareTyped(typed, answer)));
  }

  async #act(line: string, now: ShownCard, shownAt: number): Promise<void> {
    const command = line === "" ? "next" : commandOf(line);
    if (command === undefined || isScroll(command) || command === "suspend" || command === "redraw")
      return this.#settings.talk.print(oneLine(says.noKey(line)));
    await perform(command, line, now, this.#settings.play, this.#front(shownAt));
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
      editTags: async ({ card }, line) => {
        if (visible(line) !== line || /[\t\n]/.test(line)) return talk.print(unwritable);
        const answer = await talk.ask("Tags (with commas between): ", line);
        const action = answer === undefined ? undefined : tagsAction(card, answer);
        if (action !== undefined) this.#session.act(action);
      },
      openLink: ({ cardId }, link) => this.#saying(world.open(cardId, link)),
      chooseLink: async ({ cardId }, links) => {
        const link = await this.#askWhich(links);
        if (link !== undefined) await this.#saying(world.open(cardId, link));
      },
      play: ({ cardId }, sounds) => this.#saying(world.play(cardId, sounds)),
      edit: async ({ cardId }) => {
        await this.#saying(world.edit(cardId));
        await this.#session.refresh(cardId);
        this.#printed = undefined;
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
    this.#settings.talk.print(...helpRows(true).map(({ name, value }) => `${name}: ${value}`));
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
    const fresh = this.#session.changes.failures.splice(0);
    if (fresh.length > 0) this.#settings.talk.print(...fresh.map((text) => oneLine(`Note: ${text}`)));
    return fresh.length > 0;
  }
}
