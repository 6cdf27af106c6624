import { type CardLink, cardLinks } from "../../cards/links.ts";
import type { Pass } from "../../cards/passes.ts";
import type { Clock, World } from "../ports.ts";
import {
  manualTags,
  parseTags,
  passNow,
  type SessionCard,
  type TagLine,
  tagLine,
  tagsUnknown,
} from "../session/card.ts";
import type { Engine } from "../session/session.ts";
import { currentCard, isOver, toReveal } from "../session/state.ts";
import type { CardComposer, CardLines } from "./body.ts";
import type { Key } from "./keys.ts";
import { editLine, type LineInput, lineInput } from "./line-input.ts";

/** What the keys do. Everything about the cards is the engine's; here is what is open, and how far it is scrolled. */

export type Mode =
  | { readonly type: "card" | "help" | "details" | "trash" | "summary" }
  | { readonly type: "tags"; readonly input: LineInput; readonly separator: TagLine["separator"] }
  | { readonly type: "links"; readonly links: readonly CardLink[] };

/** A card on the screen. */
export interface CardOnScreen extends CardLines {
  readonly cardId: string;
  readonly card: SessionCard;
  readonly pass: Pass;
}

export interface Controller {
  press(key: Key): void;
  mode(): Mode;
  /** The first row shown of what is on the screen. */
  scroll(): number;
  /** The card on the screen, undefined while it is being fetched. */
  onScreen(): CardOnScreen | undefined;
  /** To be called when the session or the size may have changed. */
  update(): void;
}

export interface ControllerSettings {
  readonly engine: Engine;
  readonly world: Pick<World, "edit" | "open">;
  readonly clock: Clock;
  readonly composer: CardComposer;
  /** Columns of the screen, and how many rows the card or a panel has. */
  size(): { readonly columns: number; readonly rows: number };
  /** How many rows the panel that is open has in all. */
  panelRows(): number;
  quit(): void;
  suspend(): void;
  redraw(): void;
}

/** Whether a mode takes the place of the card. */
export const isPanel = ({ type }: Mode): boolean => !["card", "tags", "trash"].includes(type);

/** Keys that choose a link. */
export const linkKeys = "123456789abcdefghijklmnoprstuvwxyz";

/** What is said to a skip. */
export const noOtherCard = "There is no other card to go on with.";

/** The summary is not left by the key that graded the last card and is held down. */
const SUMMARY_MS = 400;

export function createController(settings: ControllerSettings): Controller {
  const { engine, world, clock, composer } = settings;
  let mode: Mode = { type: "card" };
  const scrolled = { card: 0, panel: 0 };
  let editing = false;
  let overSince = 0;
  let shown: { card: CardOnScreen; step: number; columns: number } | undefined;

  const onScreen = (): CardOnScreen | undefined => {
    const state = engine.state();
    const cardId = currentCard(state);
    const card = cardId === undefined ? undefined : engine.card(cardId);
    const pass = card && passNow(state, card);
    if (cardId === undefined || card === undefined || pass === undefined) return undefined;
    const { step } = state.position;
    const { columns } = settings.size();
    const same = shown?.card.card === card && shown.card.pass === pass && shown.columns === columns;
    if (!same || shown?.step !== step) {
      const lines = composer.compose(card, pass, step, columns);
      const next = { ...lines, cardId, card, pass };
      // A card begins at its top; a side that was revealed below the screen is scrolled to.
      if (!same) scrolled.card = 0;
      else if (step > (shown?.step ?? 0)) scrolled.card = Math.max(scrolled.card, next.latest);
      shown = { card: next, step, columns };
    }
    return shown?.card;
  };

  const scroll = () => (isPanel(mode) ? scrolled.panel : scrolled.card);
  const scrollTo = (row: number) => {
    const panel = isPanel(mode);
    const all = panel ? settings.panelRows() : (onScreen()?.lines.length ?? 0);
    scrolled[panel ? "panel" : "card"] = Math.max(0, Math.min(row, all - settings.size().rows));
  };
  const open = (next: Mode) => {
    mode = next;
    scrolled.panel = 0;
  };

  const update = () => {
    const over = isOver(engine.state());
    if (over && mode.type !== "summary" && mode.type !== "help") {
      open({ type: "summary" });
      overSince = clock.ticks();
    }
    if (!over && mode.type === "summary") open({ type: "card" });
    onScreen();
    scrollTo(scroll());
  };

  /** Says what comes of something that takes a while. */
  const saying = (work: Promise<string>) =>
    work.catch((error: unknown) => (error instanceof Error ? error.message : String(error))).then(engine.say);

  const edit = () => {
    const card = onScreen();
    if (card === undefined) return;
    editing = true;
    const work = async () => {
      try {
        const message = await world.edit(card.cardId);
        await engine.refresh(card.cardId);
        return message;
      } finally {
        editing = false;
      }
    };
    void saying(work());
  };

  const openLink = (link: CardLink) => {
    const card = onScreen();
    open({ type: "card" });
    if (card !== undefined) void saying(world.open(card.cardId, link));
  };

  const openSome = () => {
    const card = onScreen();
    const links = cardLinks(card?.card.presentation.sides ?? []).filter(({ kind }) => kind !== "card");
    const [first, second] = links;
    if (first === undefined) engine.say("There is nothing to open on this card.");
    else if (second === undefined) openLink(first);
    else open({ type: "links", links: links.slice(0, linkKeys.length) });
  };

  const tags = () => {
    const card = onScreen();
    if (card === undefined) return;
    if (card.card.partial) return engine.say(tagsUnknown);
    const { text, separator } = tagLine(manualTags(card.card));
    mode = { type: "tags", input: lineInput(text), separator };
  };

  const cardKeys: Readonly<Record<string, () => void>> = {
    u: () => engine.act({ type: "undo" }),
    s: () => {
      if (engine.state().position.queue.length < 2) engine.say(noOtherCard);
      else engine.act({ type: "skip" });
    },
    a: () => engine.act({ type: "remove", change: "archive" }),
    x: () => open({ type: "trash" }),
    o: openSome,
    e: edit,
    t: tags,
    i: () => open({ type: "details" }),
    "?": () => open({ type: "help" }),
    q: settings.quit,
  };

  const pressCard = ({ name }: Key) => {
    const open = toReveal(engine.state()) > 0;
    const grade = (remembered: boolean) => engine.act({ type: "grade", remembered, key: name });
    if (name === "space" || name === "enter") open ? engine.act({ type: "reveal", key: name }) : grade(true);
    else if (name === "2" || name === "r") grade(true);
    else if (name === "1" || name === "f") grade(false);
    else if (!scrollKey(name)) cardKeys[name]?.();
  };

  const scrollKey = (name: string): boolean => {
    const page = Math.max(1, settings.size().rows - 2);
    const rows: Readonly<Record<string, number>> = {
      j: scroll() + 1,
      down: scroll() + 1,
      k: scroll() - 1,
      up: scroll() - 1,
      pagedown: scroll() + page,
      pageup: scroll() - page,
      g: 0,
      home: 0,
      G: Number.MAX_SAFE_INTEGER,
      end: Number.MAX_SAFE_INTEGER,
    };
    const row = rows[name];
    if (row !== undefined) scrollTo(row);
    return row !== undefined;
  };

  const pressTags = (key: Key, { input, separator }: Extract<Mode, { type: "tags" }>) => {
    if (key.name === "escape") open({ type: "card" });
    else if (key.name === "enter") {
      const card = onScreen();
      open({ type: "card" });
      if (card === undefined) return;
      const before = manualTags(card.card);
      const after = parseTags(input.text, separator);
      if (after.join("\n") !== before.join("\n")) engine.act({ type: "tags", before, after });
    } else {
      const edited = editLine(input, key);
      if (edited !== undefined) mode = { type: "tags", input: edited, separator };
    }
  };

  const pressSummary = ({ name }: Key) => {
    if (name === "u") engine.act({ type: "undo" });
    else if (name === "q") settings.quit();
    else if (["enter", "space", "escape"].includes(name) && clock.ticks() - overSince >= SUMMARY_MS)
      settings.quit();
    else scrollKey(name);
  };

  const pressLinks = ({ name }: Key, links: readonly CardLink[]) => {
    const link = name.length === 1 ? links[linkKeys.indexOf(name)] : undefined;
    if (link !== undefined) openLink(link);
    else if (name === "escape" || name === "q") open({ type: "card" });
    else scrollKey(name);
  };

  const pressIn = (key: Key) => {
    switch (mode.type) {
      case "card":
        return pressCard(key);
      case "tags":
        return pressTags(key, mode);
      case "links":
        return pressLinks(key, mode.links);
      case "trash":
        open({ type: "card" });
        if (key.name === "y" || key.name === "Y") engine.act({ type: "remove", change: "trash" });
        return;
      case "summary":
        return pressSummary(key);
      case "help":
      case "details":
        if (!scrollKey(key.name) && key.name !== "paste") open({ type: "card" });
    }
  };

  return {
    press(key) {
      // The card is fetched anew behind the editor: for that nobody has to wait who wants to leave.
      if (editing && key.name !== "ctrl-c") return;
      engine.say(undefined);
      if (key.name === "ctrl-c") settings.quit();
      else if (key.name === "ctrl-z") settings.suspend();
      else if (key.name === "ctrl-l") settings.redraw();
      else pressIn(key);
      update();
    },
    mode: () => mode,
    scroll,
    onScreen,
    update,
  };
}
