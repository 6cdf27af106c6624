import type { Readable, Writable } from "node:stream";
import type { CardLink } from "../../cards/links.ts";
import { hasClosed, type Reached, sidesAt } from "../../cards/passes.ts";
import { answer } from "../../output/prompts.ts";
import { visible } from "../../output/sanitize.ts";
import { wrapWords } from "../../output/words.ts";
import { LEECH_LAPSES } from "../../schedule/lapses.ts";
import type { EndSignal } from "../../terminal/stage.ts";
import { type FrontEnd, perform } from "../commands.ts";
import { commandOf, helpRows, isScroll, says } from "../keymap.ts";
import { linkText, oneLine, panelOf } from "../panels.ts";
import { revealedSounds, type ShownCard, shownCard, tagsAction } from "../session/card.ts";
import { Play, type ReviewSettings, type SessionResult } from "../session/play.ts";
import { cannotRecord } from "../session/recording.ts";
import { GUARD_MS } from "../session/reducer.ts";
import { againText, isOver, placeText, toReveal } from "../session/state.ts";
import { answerToType, compareTyped, typedLines } from "../session/typing.ts";

interface PlainSettings extends ReviewSettings {
  readonly stdin: Readable;
  readonly output: Writable;
  /** Aborted with an InterruptedError when the program is asked to stop. */
  readonly signal: AbortSignal;
  width(): number;
}

/** The line editor would take it for a key. */
const unwritable = "A tag of this card holds a control character: e edits the card.";

/** The same session line by line: for screen readers, terminals that know no escapes, and `--plain`. */
export const runPlain = (settings: PlainSettings): Promise<SessionResult> => new Reader(settings).run();

/** Prints the session line by line and does what is answered. */
class Reader {
  readonly #settings: PlainSettings;
  readonly #play: Play;
  #ended = false;
  /** What was printed last, so that nothing is printed twice. */
  #printed: (Required<Reached> & { readonly asked: string }) | undefined;

  constructor(settings: PlainSettings) {
    this.#settings = settings;
    this.#play = new Play(settings);
  }

  async run(): Promise<SessionResult> {
    const { recording, signal } = this.#settings;
    const play = this.#play;
    try {
      if (recording.recorded === "log")
        this.#say(cannotRecord, "The answers are kept in the log on this machine.");
      else if (recording.notice !== undefined) this.#say(recording.notice);
      while (!this.#over && !isOver(play.session.state)) await this.#turn();
      const finished = isOver(play.session.state);
      if (finished) await recording.flush(signal);
      return { ended: endSignal(signal) ?? (finished ? "finished" : "quit"), play };
    } finally {
      play.close();
    }
  }

  /** Whether input has ended, or the program is asked to stop. */
  get #over(): boolean {
    return this.#ended || this.#settings.signal.aborted;
  }

  #say(...lines: readonly string[]): void {
    this.#settings.output.write(`${lines.join("\n")}\n`);
  }

  /** The answer, trimmed; undefined when input has ended. */
  async #ask(question: string, given?: string): Promise<string | undefined> {
    const { stdin, output, signal } = this.#settings;
    if (this.#over) return undefined;
    try {
      return await answer(question, { stdin, stderr: output, signal }, { given });
    } catch {
      this.#ended = true;
      return undefined;
    }
  }

  /** Prints what is new, asks, and does what is answered. */
  async #turn(): Promise<void> {
    const now = shownCard(this.#session);
    if (now === undefined) return this.#waitForCard();
    this.#reportFailures();
    this.#print(now);
    const hidden = toReveal(this.#session.state) > 0;
    const shownAt = this.#settings.clock.ticks();
    const typed = this.#toType(now);
    const question = typed === undefined ? this.#question(hidden, now) : this.#typeQuestion(now);
    // A column is left for what is typed.
    const said = await this.#ask(`${wrapWords(question, this.#settings.width() - 2)} `);
    if (said === undefined) return;
    // A card whose answer is "h" is answered: its hint cannot be opened here.
    if (typed !== undefined && (said !== "h" || typed === "h" || !this.#hasHint(now)))
      this.#compare(said, typed);
    else await this.#act(said, now, shownAt);
    const { message } = this.#session;
    if (!this.#reportFailures() && message !== undefined) this.#say(oneLine(message));
    this.#session.say(undefined);
  }

  get #session(): Play["session"] {
    return this.#play.session;
  }

  /** Prints what is new since the last time: the sides of the card, each once. */
  #print({ cardId, card, pass, step, opened }: ShownCard): void {
    const { width, world, autoplay } = this.#settings;
    const { state } = this.#session;
    // Another answer, skip or undo lies between two times that the same pass is printed.
    const moves = state.history.filter(({ position }) => position !== undefined).length;
    const asked = `${moves} ${cardId} ${pass.kind} ${pass.group}`;
    const last = this.#printed?.asked === asked && this.#printed.step >= step - 1 ? this.#printed : undefined;
    if (last?.step === step && last.opened === opened) return;
    if (last === undefined) this.#printHead(cardId);
    const options = { width: Math.max(20, width() - 1), card: card.card };
    const shown = sidesAt(card.presentation, pass, state.position);
    const revealed = last?.step !== step;
    // A hint that was opened is part of any side.
    for (const { side, cloze } of last !== undefined && revealed ? shown.slice(-1) : shown)
      this.#say("", ...world.render(side, { ...options, cloze }), "");
    this.#printed = { asked, step, opened };
    const sounds = autoplay && revealed ? revealedSounds(card, pass, state.position) : [];
    if (sounds.length > 0) void world.play(cardId, sounds);
  }

  #printHead(cardId: string): void {
    const { state, due } = this.#session;
    const deck = this.#settings.world.deckPath(due.get(cardId)?.["deck-id"] ?? "");
    this.#say("", `Card ${placeText(state)}${againText(state)}. ${oneLine(deck)} (${this.#play.kind()})`);
    const lapses = this.#play.lapses(cardId);
    if (lapses >= LEECH_LAPSES) this.#say(`A leech: forgotten ${lapses} times. a archives it, e edits it.`);
  }

  async #waitForCard(): Promise<void> {
    const here = () => shownCard(this.#session) !== undefined || isOver(this.#session.state);
    const { signal } = this.#settings;
    await this.#play.until(() => here() || this.#session.trouble !== undefined, signal);
    if (this.#over || here()) return;
    const reason = oneLine(this.#session.trouble ?? "");
    this.#say(`The service does not answer (${reason}); trying again. Ctrl-C quits.`);
    await this.#play.until(here, signal);
  }

  #question(hidden: boolean, now: ShownCard): string {
    if (hidden) return `Enter to reveal${this.#hasHint(now) ? ", h for a hint" : ""} (? for all keys):`;
    const outlook = this.#play.outlook();
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
    if (!this.#settings.typing) return undefined;
    return answerToType(card, pass, this.#session.state.position.step);
  }

  #compare(typed: string, answer: string): void {
    this.#session.act({ type: "reveal", key: "" });
    if (typed === "") return;
    this.#say(...typedLines(compareTyped(typed, answer)));
  }

  async #act(line: string, now: ShownCard, shownAt: number): Promise<void> {
    const command = line === "" ? "next" : commandOf(line);
    if (command === undefined || isScroll(command)) return this.#say(oneLine(says.noKey(line)));
    await perform(command, line, now, this.#play, this.#front(shownAt));
  }

  #front(shownAt: number): FrontEnd {
    const { world, clock } = this.#settings;
    return {
      // What was typed before the card could be read is no grade.
      isSideSeen: () => clock.ticks() - shownAt >= GUARD_MS,
      confirmTrash: async () => {
        const said = (await this.#ask("Trash this card? (y/n) ")) ?? "";
        if (/^y(es)?$/i.test(said)) this.#session.act({ type: "remove", change: "trash" });
      },
      editTags: async ({ card }, { text, parts }) => {
        if (visible(text) !== text || /[\t\n]/.test(text)) return this.#say(unwritable);
        const said = await this.#ask(`Tags, separated by ${parts}: `, text);
        const action = said === undefined ? undefined : tagsAction(card, said);
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
      quit: () => {
        this.#ended = true;
      },
    };
  }

  /** By number: a line may hold any. */
  async #askWhich(links: readonly CardLink[]): Promise<CardLink | undefined> {
    this.#say(...links.map((link, index) => `${index + 1}  ${linkText(link)}`));
    const said = await this.#ask("Which one? ");
    return /^\d+$/.test(said ?? "") ? links[Number(said) - 1] : undefined;
  }

  #help(): void {
    this.#say(...helpRows(true).map(({ name, value }) => `${name}: ${value}`));
  }

  #details(): void {
    const panel = panelOf({ type: "details" }, this.#play);
    this.#say(...panel.rows.map(({ name, value }) => (name === "" ? `  ${value}` : `${name}: ${value}`)));
  }

  async #saying(work: Promise<string | undefined>): Promise<void> {
    const message = await work.catch((error: unknown) =>
      error instanceof Error ? error.message : String(error),
    );
    if (message !== undefined) this.#say(oneLine(message));
  }

  /** A change that fails does so while something else is asked: it is reported at the next turn. */
  #reportFailures(): boolean {
    const fresh = this.#session.changes.failures.splice(0);
    if (fresh.length > 0) this.#say(...fresh.map((text) => oneLine(`Note: ${text}`)));
    return fresh.length > 0;
  }
}

/** The signal that ended it, if one did. Ctrl-C between two questions quits, as it does at one. */
function endSignal({ reason }: AbortSignal): EndSignal | undefined {
  const signal = reason instanceof Object && "signal" in reason ? (reason.signal as EndSignal) : undefined;
  return signal === "SIGINT" ? undefined : signal;
}
