import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { EmbeddedCard } from "../../cards/embeds.ts";
import type { Context, Io } from "../../context/context.ts";
import type { CardChange, Completed, Done, HomeWorld, Overview, Undo } from "../../home/ports.ts";
import type { StatusLine } from "../../output/status.ts";
import { oneLine } from "../../review/panels.ts";
import { type Card, type CardCreate, newId } from "../../schema/index.ts";
import { sessionClient } from "../due/recording.ts";
import { cardRenderer } from "../due/render.ts";
import { cardLoader, editCard } from "../due/session-world.ts";
import { userDays } from "../shared/time.ts";
import { changeAll, changeOne, createCard, createDeck, updateDeck } from "./changes.ts";
import { FoundCards } from "./found-cards.ts";
import { cachedOverview, keepOverview, readOverview } from "./overview.ts";

/** What the home screen does, by the functions behind the commands. */
export class AccountWorld implements HomeWorld {
  readonly render: HomeWorld["render"];
  readonly #context: Context;
  /** What the functions said since this was asked last. */
  readonly #said: () => Done;
  readonly #cards: FoundCards;
  readonly #embedded = new Map<string, EmbeddedCard>();
  readonly #settings: WorldSettings;
  #known: Overview | undefined;
  /** The card that was sent last, until it is known to be there. */
  #sent: { readonly key: string; readonly id: string } | undefined;
  /** The day and the state of the collection's files before the overview was read. */
  #stamp: number | undefined;

  constructor(outer: Context, settings: WorldSettings) {
    const { context, said } = quietly(outer);
    this.#context = context;
    this.#said = () => ({ text: said().map(ended).join(" ") });
    this.#settings = settings;
    this.#cards = new FoundCards(context);
    this.#known = cachedOverview(context);
    const cardName = (id: string) => this.#cards.get(id)?.name ?? undefined;
    const { colour } = settings;
    this.render = cardRenderer({ context, colour, plain: false, cardName, embedded: this.#embedded });
  }

  get #changing() {
    return { cards: this.#cards, context: this.#context };
  }

  cached(): Overview | undefined {
    return this.#known;
  }

  async overview(): Promise<Overview> {
    // Opening the collection makes files beside it; these do not count as a change.
    await this.#context.client();
    this.#stamp = stampOf(this.#context);
    this.#known = await readOverview(this.#context);
    this.#cards.decks = this.#known.decks;
    keepOverview(this.#known, this.#context);
    return this.#known;
  }

  isStale(): boolean {
    return stampOf(this.#context) !== this.#stamp;
  }

  async review(deck: string | undefined): Promise<Done> {
    const { runReview } = await import("../due/session.ts");
    await runReview({ deck, recursive: true }, this.#context);
    return this.#said();
  }

  async sample(): Promise<Done> {
    const { demo } = await import("../demo.ts");
    await demo({}, this.#context);
    // It names the command that adds a card.
    this.#said();
    return { text: "That was a sample, and it is deleted: a adds your own first card." };
  }

  async importFile(path: string): Promise<Done> {
    const { runCommand } = await import("../import/run.ts");
    const command = runCommand(() => this.#context).exitOverride();
    await command.parseAsync([expanded(path, this.#context)], { from: "user" });
    return this.#said();
  }

  async firstDue() {
    const { cardsOfToday } = await import("../due/today.ts");
    const { value: first = [] } = await cardsOfToday(this.#context).next();
    return (first as readonly Card[]).slice(0, 100).map((card) => this.#cards.listed(card));
  }

  readCards(): Promise<void> {
    return this.#cards.read(this.#known?.decks ?? []);
  }

  find(query: string) {
    return this.#cards.find(query);
  }

  async load(id: string) {
    const context = this.#context;
    const client = await sessionClient(context, 1);
    return cardLoader({ context, client, whole: new Map(), embedded: this.#embedded }).load(id);
  }

  async addCard(deck: string, front: string, back: string): Promise<Done> {
    const [{ contentFrom }, { emptySide }] = await Promise.all([
      import("../cards/card-options.ts"),
      import("../../cards/index.ts"),
    ]);
    const sides = back === "" ? { front } : { front, back };
    const content = (await contentFrom(sides, this.#context)) ?? front;
    const body = { content, "deck-id": deck, ...this.#settings.card };
    // The same card again, after an answer that was lost, is the same creation.
    const key = JSON.stringify(body);
    if (this.#sent?.key !== key) this.#sent = { key, id: newId() };
    const made = await createCard(body, this.#sent.id, this.#context);
    this.#sent = undefined;
    this.#cards.put(made);
    const empty = emptySide(content);
    const text = `Added “${oneLine(front)}”${empty === undefined ? "." : `; its ${empty} is empty.`}`;
    const run = () => changeOne(made.id, { trashed: true }, this.#changing).then(() => {});
    return { text, undo: { text: `the card “${oneLine(front)}”`, run } };
  }

  async sameFront(deck: string, front: string): Promise<string | undefined> {
    const { cardsByFront, frontHashOf } = await import("../../transfer/import/wanted.ts");
    const known = await cardsByFront(deck, await this.#context.client());
    return known.get(frontHashOf({ content: front }) ?? "");
  }

  async editSides(front: string, back: string): Promise<readonly [string, string]> {
    const { joinSides, splitSides } = await import("../../cards/index.ts");
    const edited = await this.#context.io.edit(joinSides([front, back]), "new-card.md");
    const [first = "", ...others] = splitSides(edited.text);
    await edited.discard();
    return [first.trim(), joinSides(others).trim()];
  }

  async createDeck(path: string, adds: boolean) {
    const done = await createDeck(path, this.#context);
    return { ...done, deck: adds && done.id !== undefined ? { id: done.id, path } : undefined };
  }

  async renameDeck(id: string, name: string): Promise<Done> {
    const before = this.#known?.decks.find((deck) => deck.id === id)?.name ?? name;
    await updateDeck(id, { name }, this.#context);
    const run = () => updateDeck(id, { name: before }, this.#context);
    return { text: `Renamed to ${oneLine(name)}.`, undo: { text: "the new name of the deck", run } };
  }

  changeCards(ids: readonly string[], change: CardChange, what: string): Promise<Done> {
    return changeAll(ids, change, what, this.#changing);
  }

  async moveCards(ids: readonly string[], deck: string): Promise<Done> {
    const names = await this.#context.names();
    const { id, name } = await names.deck(deck);
    return this.changeCards(ids, { deck: id }, `moved to ${(await names.path(id)) ?? name}`);
  }

  async editCard(id: string): Promise<Done> {
    const client = await sessionClient(this.#context, 1);
    const text = await editCard(id, client, this.#context);
    this.#cards.put(await client.cards.get(id));
    const said = this.#said().text;
    return { text: said.includes(text) ? said : `${text} ${said}`.trim() };
  }

  async takeBack(undo: Undo): Promise<Done> {
    await undo.run();
    return { text: `Took back: ${undo.text}` };
  }

  async statistics(): Promise<readonly string[]> {
    const context = this.#context;
    const { statsOf, screenLines } = await import("../stats/stats.ts");
    const { width, stdout } = context.io;
    // A page and a half: the second begins with what the first ended with.
    const height = Math.floor((stdout.rows ?? 24) * 1.5);
    const stats = await statsOf(undefined, { recursive: true }, context);
    const lines = await screenLines(stats, Math.min(width, 140) - 2, height, this.#settings.colour, context);
    return ["", ...lines.map((line) => ` ${line}`)];
  }

  async complete(kind: "path" | "deck", text: string) {
    if (kind === "path") return completePath(expanded(text, this.#context));
    return startOfAll(
      text,
      (this.#known?.decks ?? []).map(({ path }) => path),
    );
  }
}

interface WorldSettings {
  readonly colour: boolean;
  /** What each card that is added has besides its text. */
  readonly card: Partial<CardCreate>;
}

/** Another value on each day, and after each change of the local collection, by whatever program. */
function stampOf(context: Context): number {
  const today = userDays(context).dayOf(context.clock.now());
  if (context.account().kind !== "local") return today;
  const { data } = context.folders;
  return ["", "-wal"].reduce((sum, ending) => {
    const file = statSync(join(data, "service", `store.sqlite${ending}`), { throwIfNoEntry: false });
    return sum + (file?.mtimeMs ?? 0) + (file?.size ?? 0);
  }, today);
}

/** With the shell's `~`. */
const expanded = (path: string, { world }: Context): string =>
  path === "~" || path.startsWith("~/") ? (world.home ?? "~") + path.slice(1) : path;

/** The most names that are shown where several fit. */
const most = 12;

/** A path of a file or folder, as far as it is clear from what is there. */
function completePath(text: string): Completed {
  const at = text.lastIndexOf("/") + 1;
  const folder = text.slice(0, at);
  let names: string[] = [];
  try {
    names = readdirSync(folder === "" ? "." : join(folder, "."), { withFileTypes: true })
      .map((entry) => entry.name + (entry.isDirectory() ? "/" : ""))
      .filter((name) => text.slice(at).startsWith(".") || !name.startsWith("."));
  } catch {
    // There is no such folder, or it cannot be read.
  }
  const { text: name, choices } = startOfAll(text.slice(at), names);
  return { text: folder + name, choices };
}

/** What all names that begin with a text begin with; the case of letters does not matter. */
function startOfAll(text: string, names: readonly string[]): Completed {
  const begun = names.filter((name) => name.toLowerCase().startsWith(text.toLowerCase())).sort();
  const [first, last] = [begun[0], begun.at(-1)];
  if (first === undefined || last === undefined) return { text, choices: [] };
  let length = 0;
  while (length < first.length && first[length] === last[length]) length++;
  return { text: length < text.length ? text : first.slice(0, length), choices: begun.slice(0, most) };
}

/** With a full stop, where a text has no end of its own. */
const ended = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

/**
 * The context with what it says kept for the status line of the screen: nothing is written to the terminal, and questions
 * are asked as ever, by what has the terminal then.
 */
export function quietly(context: Context): { readonly context: Context; said(): string[] } {
  const said: string[] = [];
  const say = (text: string) => void said.push(text);
  const task = { advance() {}, set() {}, end() {} };
  const line: StatusLine = { begin: () => task, above: say, clear() {} };
  const own: Partial<Io> = {
    ...{ say, note: say, warn: say },
    report: ({ message }) => say(message),
    write: async () => {},
    print: async () => {},
    holdMessages: () => () => {},
    status: async () => line,
  };
  const io = new Proxy(context.io, {
    get(target, name) {
      if (Object.hasOwn(own, name)) return Reflect.get(own, name);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { context: { ...context, io }, said: () => said.splice(0) };
}
