import type { CardLink } from "../../cards/links.ts";
import type { Pass } from "../../cards/passes.ts";
import type { Key } from "../../terminal/keys.ts";
import { editLine, type LineInput, lineInput } from "../../terminal/line-input.ts";
import { type FrontEnd, perform } from "../commands.ts";
import { anytime, commandOf, isScroll, type KeyCommand, linkKeys, says, scrolled } from "../keymap.ts";
import { revealedSounds, type ShownCard, tagsAction } from "../session/card.ts";
import type { Play } from "../session/play.ts";
import { isOver } from "../session/state.ts";
import { answerToType, compareTyped } from "../session/typing.ts";
import type { CardComposer } from "./body.ts";
import { type CardOnScreen, CardPane } from "./card-pane.ts";

/** What takes the keys: the card, a question about it, or a panel. */
export type Mode =
  | { readonly type: "card" | "help" | "details" | "trash" | "summary" }
  | { readonly type: "tags"; readonly input: LineInput; readonly parts: string }
  | { readonly type: "typing"; readonly input: LineInput; readonly answer: string }
  | { readonly type: "links"; readonly links: readonly CardLink[] };

/** Whether a mode takes the place of the card. */
export const isPanel = ({ type }: Mode): boolean => !["card", "tags", "typing", "trash"].includes(type);

interface ControllerSettings {
  readonly play: Play;
  handOver<T>(run: () => Promise<T>): Promise<T>;
  readonly composer: CardComposer;
  /** Columns of the screen, and how many rows the card or a panel has. */
  size(): { readonly columns: number; readonly rows: number };
  /** How many rows the panel that is open has in all. */
  panelRows(): number;
  quit(): void;
}

/** The summary is not left by the key that graded the last card and is held down. */
const SUMMARY_MS = 400;

/** What the keys do. Everything about the cards is the session's; here is what is open, and how far it is scrolled. */
export class Controller {
  readonly pane: CardPane;
  readonly #settings: ControllerSettings;
  #mode: Mode = { type: "card" };
  #panelScroll = 0;
  /** Whether the editor is open, or the card is fetched again after it. */
  #editing = false;
  #overSince = 0;
  /** The pass whose answer the user does not want to type. */
  #untyped: Pass | undefined;

  constructor(settings: ControllerSettings) {
    this.#settings = settings;
    const { play, composer, size } = settings;
    this.pane = new CardPane({
      session: play.session,
      composer,
      size,
      appeared: (card, revealed) => this.#appeared(card, revealed),
    });
  }

  get mode(): Mode {
    return this.#mode;
  }

  /** The first row shown of what is on the screen. */
  get scroll(): number {
    return isPanel(this.#mode) ? this.#panelScroll : this.pane.scroll;
  }

  press(key: Key): void {
    const command = commandOf(key.name);
    // The card is fetched again after the editor: leaving does not wait for that.
    if (this.#editing && key.name !== "ctrl-c") return;
    this.#session.say(undefined);
    if (key.name === "ctrl-c") this.#settings.quit();
    else this.#pressIn(key, command);
    this.update();
  }

  /** To be called when the session or the size may have changed. */
  update(): void {
    const over = isOver(this.#session.state);
    if (over && this.#mode.type !== "summary" && this.#mode.type !== "help") {
      this.#open({ type: "summary" });
      this.#overSince = this.#settings.play.settings.clock.ticks();
      void this.#settings.play.lookAhead();
    }
    if (!over && this.#mode.type === "summary") this.#open({ type: "card" });
    const card = this.onScreen();
    // A question about a card ends with the card.
    if ((this.#mode.type === "trash" || this.#mode.type === "tags") && !this.pane.isDrawn)
      this.#open({ type: "card" });
    this.#scrollTo(this.scroll);
    if (card !== undefined) this.#startTyping(card);
  }

  /** The card on the screen; undefined while it is being fetched. */
  onScreen(): CardOnScreen | undefined {
    return this.pane.current();
  }

  /** A frame is about to be on the screen. */
  drawn(): void {
    if (!isPanel(this.#mode)) this.pane.drawn();
  }

  get #session() {
    return this.#settings.play.session;
  }

  get #world() {
    return this.#settings.play.settings.world;
  }

  /** How many rows a page key scrolls. */
  get #page() {
    return Math.max(1, this.#settings.size().rows - 2);
  }

  #appeared(card: CardOnScreen, revealed: boolean): void {
    if (!revealed) this.#world.silence();
    const { autoplay } = this.#settings.play.settings;
    const sounds = autoplay ? revealedSounds(card.card, card.pass, card) : [];
    if (sounds.length > 0) this.#sayLater(this.#world.play(card.cardId, sounds));
  }

  #startTyping({ card, pass, step }: CardOnScreen): void {
    const answer = answerToType(card, pass, step);
    if (this.#mode.type === "typing" && this.#mode.answer !== answer) this.#open({ type: "card" });
    if (!this.#settings.play.settings.typing || this.#mode.type !== "card" || this.#untyped === pass) return;
    if (answer !== undefined && !this.pane.unseen)
      this.#mode = { type: "typing", input: lineInput(""), answer };
  }

  #scrollTo(row: number) {
    if (!isPanel(this.#mode)) return this.pane.scrollTo(row);
    this.#panelScroll = Math.max(0, Math.min(row, this.#settings.panelRows() - this.#settings.size().rows));
  }

  #open(next: Mode): void {
    this.#mode = next;
    this.#panelScroll = 0;
  }

  #pressIn(key: Key, command: KeyCommand | undefined) {
    const mode = this.#mode;
    switch (mode.type) {
      case "card":
        if (command !== undefined) return this.#pressCard(key.name, command);
        // Keys that type nothing, what is pasted and what came before the card are not taken for keys.
        if (key.text === key.name && this.pane.isDrawn) this.#session.say(says.noKey(key.name));
        return;
      case "tags":
      case "typing":
        return this.#pressLine(key, mode);
      case "links":
        return this.#pressLinks(key.name, command, mode.links);
      case "trash":
        this.#open({ type: "card" });
        if (key.name === "y" || key.name === "Y") this.#session.act({ type: "remove", change: "trash" });
        return;
      case "summary":
        return this.#pressSummary(key.name, command);
      case "help":
      case "details":
        if (!this.#scrollKey(command) && key.name !== "paste") this.#open({ type: "card" });
        return;
      default:
        return mode satisfies never;
    }
  }

  #pressCard(key: string, command: KeyCommand) {
    if (isScroll(command)) return void this.#scrollKey(command);
    if (!anytime.has(command) && !this.pane.isDrawn) return;
    void perform(command, key, this.onScreen(), this.#settings.play, this.#front);
  }

  readonly #front: FrontEnd = {
    isSideSeen: () => this.pane.isSideDrawn,
    // What was not seen yet is paged to before anything is revealed or graded.
    page: (key) => {
      if (!this.pane.unseen) return false;
      this.#scrollTo(this.pane.scroll + this.#page);
      this.#session.act({ type: "page", key });
      return true;
    },
    hintOpened: () => {
      this.#untyped = undefined;
    },
    confirmTrash: () => this.#open({ type: "trash" }),
    editTags: (_card, { text, parts }) => this.#open({ type: "tags", input: lineInput(text), parts }),
    chooseLink: (_card, links) => this.#open({ type: "links", links: links.slice(0, linkKeys.length) }),
    openLink: ({ cardId }, link) => this.#openLink(cardId, link),
    play: ({ cardId }, sounds) => this.#sayLater(this.#world.play(cardId, sounds)),
    edit: (card) => this.#edit(card),
    show: (panel) => this.#open({ type: panel }),
    quit: () => this.#settings.quit(),
  };

  #openLink(cardId: string, link: CardLink): void {
    // It may name a file, which takes time to copy.
    this.#sayLater(this.#world.open(cardId, link), true);
  }

  #edit({ cardId }: ShownCard): void {
    this.#editing = true;
    const work = async () => {
      try {
        const message = await this.#settings.handOver(() => this.#world.edit(cardId));
        await this.#session.refresh(cardId);
        return message;
      } finally {
        this.#editing = false;
      }
    };
    this.#sayLater(work());
  }

  /** Says what came of something that takes a while. */
  #sayLater(work: Promise<string | undefined>, stays = false): void {
    void work
      .catch((error: unknown) => (error instanceof Error ? error.message : String(error)))
      .then((message) => {
        if (message !== undefined) this.#session.say(message, stays);
      });
  }

  #scrollKey(command: KeyCommand | undefined): boolean {
    if (command === undefined || !isScroll(command)) return false;
    this.#scrollTo(scrolled[command](this.scroll, this.#page));
    return true;
  }

  #pressLine(key: Key, mode: Extract<Mode, { type: "tags" | "typing" }>) {
    const card = this.onScreen();
    if (mode.type === "typing" && !this.pane.isDrawn) return;
    if (key.name === "escape") {
      if (mode.type === "typing") this.#untyped = card?.pass;
      return this.#open({ type: "card" });
    }
    if (key.name === "enter") {
      this.#open({ type: "card" });
      return mode.type === "typing" ? this.#typed(mode) : card && this.#tagged(card, mode);
    }
    const input = editLine(mode.input, key);
    if (input !== undefined) this.#mode = { ...mode, input };
    else this.#scrollKey(commandOf(key.name));
  }

  #typed({ input, answer }: Extract<Mode, { type: "typing" }>): void {
    if (input.text.trim() !== "") this.pane.typed = compareTyped(input.text, answer);
    this.#session.act({ type: "reveal", key: "enter" });
  }

  #tagged({ card }: CardOnScreen, { input }: Extract<Mode, { type: "tags" }>): void {
    const action = tagsAction(card, input.text);
    if (action !== undefined) this.#session.act(action);
  }

  #pressSummary(key: string, command: KeyCommand | undefined): void {
    const { clock } = this.#settings.play.settings;
    if (command === "undo") this.#session.act({ type: "undo" });
    else if (command === "quit") this.#settings.quit();
    else if (["enter", "space"].includes(key) && clock.ticks() - this.#overSince >= SUMMARY_MS)
      this.#settings.quit();
    else this.#scrollKey(command);
  }

  #pressLinks(key: string, command: KeyCommand | undefined, links: readonly CardLink[]): void {
    const link = key.length === 1 ? links[linkKeys.indexOf(key)] : undefined;
    const card = this.onScreen();
    if (link !== undefined) {
      this.#open({ type: "card" });
      if (card !== undefined) this.#openLink(card.cardId, link);
    } else if (key === "escape" || key === "q") this.#open({ type: "card" });
    else this.#scrollKey(command);
  }
}
