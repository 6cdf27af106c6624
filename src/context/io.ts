import type { GlobalOptions } from "../cli/options.ts";
import { DeckhandError, UsageError } from "../errors.ts";
import { createOutput, type Output, reportError, visible } from "../output/index.ts";
import type { Choice } from "../output/prompts.ts";
import type { StatusLine } from "../output/status.ts";
import { wrapWords } from "../output/words.ts";
import type { Edited, World } from "./world.ts";

/** What a terminal needs to know of the command. The settings are read when they are first needed. */
interface TerminalSettings {
  /** In a dry run nothing is done: nothing is asked, and no sentence says that it was. */
  readonly options: GlobalOptions;
  /** Where edited texts are kept. */
  readonly stateFolder: string;
  /** Whether stdout takes colour. */
  colour(): "always" | "auto" | "never";
  /** The output format, in which errors are reported too. */
  format(): string | undefined;
  /** The profile to name in messages; undefined where it is the only one. */
  profile(): string | undefined;
}

/** The streams of the process, the messages and questions on them, and the status line below. */
export class Terminal implements Output {
  readonly #world: World;
  readonly #settings: TerminalSettings;
  #output: Output | undefined;
  #status: Promise<StatusLine> | undefined;
  #line: StatusLine | undefined;
  /** Messages that wait; undefined while they are printed at once. */
  #held: string[] | undefined;

  constructor(world: World, settings: TerminalSettings) {
    this.#world = world;
    this.#settings = settings;
  }

  get stdin() {
    return this.#world.stdin;
  }

  get stdout() {
    return this.#world.stdout;
  }

  get stderr() {
    return this.#world.stderr;
  }

  /** Whether questions can be asked: stdin and stderr are terminals. */
  get interactive(): boolean {
    const { stdin, stderr } = this;
    return stderr.isTTY === true && stdin.isTTY === true && !stdin.readableEnded;
  }

  get colour(): boolean {
    const wanted = this.#settings.colour();
    if (wanted !== "auto") return wanted === "always";
    return this.stdout.isTTY === true && this.#world.env["TERM"] !== "dumb";
  }

  /** Columns of the terminal; 80 without one. */
  get width(): number {
    // Some terminals report 0 for "unknown".
    return this.stdout.columns || 80;
  }

  /** Whether the terminal shows more than ASCII. */
  get unicode(): boolean {
    const { env } = this.#world;
    return /utf-?8/i.test(env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "utf8");
  }

  readonly write = (data: string | Uint8Array): Promise<void> => {
    if (this.stdout.isTTY) this.#line?.clear();
    this.#output ??= createOutput(this.stdout);
    return this.#output.write(data);
  };

  /** A line for people on stdout, its control characters made visible; on a terminal wrapped between words. */
  readonly print = (line: string): Promise<void> =>
    this.write(shownLine(line, this.stdout.isTTY ? this.width : undefined));

  /** A sentence for people on stderr, only on a terminal, without --quiet and --dry-run. Names the profile if there are several. */
  readonly say = (sentence: string): void => {
    const { quiet, dryRun } = this.#settings.options;
    if (quiet || dryRun || !this.stderr.isTTY) return;
    const profile = this.#settings.profile();
    this.#tellLine(profile === undefined ? sentence : `${sentence} (${profile})`);
  };

  /** A line on stderr, also off a terminal; not with --quiet. */
  readonly note = (line: string): void => {
    if (!this.#settings.options.quiet) this.#tellLine(line);
  };

  /** A warning on stderr, always. */
  readonly warn = (line: string): void => {
    this.#tellLine(`deckhand: warning: ${line}`);
  };

  /** Reports an error in the output format, while the command goes on. */
  readonly report = (error: DeckhandError): void => {
    const debug = this.#world.env["DECKHAND_DEBUG"] === "1";
    const width = this.#messageWidth;
    reportError(error, { format: this.#settings.format(), debug, width, write: this.#tell });
  };

  /** Withholds messages while something else draws on the terminal. The returned function prints them. */
  holdMessages(): () => void {
    this.#line?.clear();
    this.#held ??= [];
    return () => {
      const texts = this.#held ?? [];
      this.#held = undefined;
      texts.forEach(this.#tell);
    };
  }

  /** The status line at the bottom of the terminal. */
  status(): Promise<StatusLine> {
    this.#status ??= this.#createStatus();
    return this.#status;
  }

  /**
   * Asks for confirmation on a terminal; --yes answers it, and a dry run does not ask.
   *
   * @param question what is going to happen, and what is lost
   * @param otherwise what a refusal means: `nothing was deleted`
   * @param always whether --yes does not answer it
   * @throws UsageError after a no, and without a terminal to ask on
   */
  async confirm(question: string, otherwise: string, always?: "despite --yes"): Promise<void> {
    const { dryRun, yes } = this.#settings.options;
    if (dryRun || (yes && always === undefined)) return;
    if (!this.interactive && always !== undefined)
      throw new DeckhandError("conflict", `${question} Only a person at a terminal can say; ${otherwise}`);
    if (!this.interactive)
      throw new UsageError(`${question} Cannot ask for confirmation without a terminal; ${otherwise}`, {
        hint: "Use --yes to confirm.",
      });
    const { askYesNo } = await prompts();
    if (!(await askYesNo(question, this.#streams))) throw new UsageError(otherwise);
  }

  /** Asks for a line of text. */
  async ask(question: string, placeholder = ""): Promise<string> {
    return (await prompts()).askText(question, this.#streams, placeholder);
  }

  /** Asks to choose one of several things; returns its value. */
  async choose(question: string, choices: readonly Choice[]): Promise<string> {
    return (await prompts()).askChoice(question, choices, this.#streams);
  }

  /** Asks for a secret; it is not echoed. */
  async askSecret(question: string): Promise<string> {
    return (await prompts()).askSecret(question, this.#streams);
  }

  /** Opens the user's editor on a text. The file stays until it is discarded. */
  async edit(text: string, name: string): Promise<Edited> {
    const { assertEditor, edit } = await import("./editor.ts");
    assertEditor(this, this.#world.env);
    return edit(text, name, this.#settings.stateFolder, this.#world);
  }

  /** Removes the status line. */
  clear(): void {
    this.#line?.clear();
  }

  get #streams() {
    return { stdin: this.stdin, stderr: this.stderr, signal: this.#world.signal };
  }

  get #messageWidth(): number | undefined {
    return this.stderr.isTTY ? this.stderr.columns || 80 : undefined;
  }

  #tellLine(text: string): void {
    this.#tell(shownLine(text, this.#messageWidth));
  }

  readonly #tell = (text: string): void => {
    if (this.#held !== undefined) this.#held.push(text);
    else if (this.#line === undefined) this.stderr.write(text);
    else this.#line.above(text);
  };

  async #createStatus(): Promise<StatusLine> {
    const { createStatusLine } = await import("../output/status.ts");
    const { stderr } = this;
    this.#line = createStatusLine({
      write: (text) => {
        if (this.#held === undefined) stderr.write(text);
      },
      enabled: stderr.isTTY === true && !this.#settings.options.quiet && this.#world.env["TERM"] !== "dumb",
      width: () => stderr.columns || 80,
      unicode: this.unicode,
      now: this.#world.now,
      every(milliseconds, work) {
        const timer = setInterval(work, milliseconds);
        timer.unref();
        return () => clearInterval(timer);
      },
    });
    return this.#line;
  }
}

const prompts = () => import("../output/prompts.ts");

/** @param width columns of the terminal; undefined without one */
const shownLine = (text: string, width: number | undefined): string =>
  `${width === undefined ? visible(text) : wrapWords(visible(text), width)}\n`;
