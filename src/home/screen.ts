import type { Style } from "../output/style.ts";
import { CardComposer } from "../review/screen/body.ts";
import type { SessionCard } from "../review/session/card.ts";
import type { Key } from "../terminal/keys.ts";
import { type EndSignal, type Scene, Stage } from "../terminal/stage.ts";
import { BESIDE } from "./decks-view.ts";
import type { Deeds, HomeWorld } from "./ports.ts";
import { reduce } from "./reducer.ts";
import {
  type Adding,
  does,
  type Effect,
  type HomeEvent,
  type HomeState,
  type Result,
  startHome,
} from "./state.ts";
import { homeView } from "./view.ts";

interface HomeSettings {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly colour: boolean;
  readonly unicode: boolean;
  readonly style: Style;
  readonly world: HomeWorld;
  /** Epoch milliseconds. */
  now(): number;
  /** The day of the user, as `Mon 23 Nov`. */
  day(): string;
  /** What went wrong, for people. */
  reasonOf(error: unknown): string;
  /** Where cards are added first; without it the decks are shown. */
  readonly adding?: Adding | undefined;
}

/** How long a cursor rests before what it is on is read, in milliseconds. */
const REST_MS = 60;
/** In a collection whose overview takes longer, in milliseconds, nothing more is read: it would hold up keys. */
const LARGE_MS = 700;
/** How long something takes before it is said, in milliseconds. */
const SEEN_MS = 300;
/** How often what is being read is searched again. */
const FIND_MS = 300;

/** Shows the home screen until the user leaves it, or a signal ends it. */
export async function runHome(settings: HomeSettings): Promise<EndSignal | undefined> {
  const stage = new Stage(settings);
  await stage.open();
  try {
    return await stage.play<EndSignal | undefined>((end) => new HomeScene(settings, stage, end));
  } finally {
    stage.close();
  }
}

/** What takes time. */
type Work = Extract<Effect, { readonly call: keyof Deeds }>;

class HomeScene implements Scene {
  readonly #settings: HomeSettings;
  readonly #stage: Stage;
  readonly #end: (signal: EndSignal | undefined) => void;
  readonly #composer: CardComposer;
  #state: HomeState;
  #resting: NodeJS.Timeout | undefined;
  /** Since when what is under way takes its time. */
  readonly #working = new Set<{ readonly at: number }>();
  /** An overview is being read; another was asked for meanwhile. */
  #refreshing: "no" | "yes" | "again" = "no";

  constructor(settings: HomeSettings, stage: Stage, end: (signal: EndSignal | undefined) => void) {
    const { world, style, adding } = settings;
    this.#settings = settings;
    this.#stage = stage;
    this.#end = end;
    this.#composer = new CardComposer(world.render, style);
    this.#state = startHome(adding);
    const cached = world.cached();
    if (cached !== undefined) this.#state = reduce(this.#state, { type: "cached", overview: cached }).state;
    // After the first frame.
    setImmediate(() => this.#do(does("overview")));
  }

  key(key: Key): void {
    this.#dispatch({ type: "key", key, page: Math.max(1, this.#stage.size().rows - 6) });
  }

  draw({ columns, rows }: { readonly columns: number; readonly rows: number }) {
    this.#look();
    const { colour, unicode, style, now, day } = this.#settings;
    const drawing = { columns, rows, colour, unicode, style, now: now(), day: day() };
    return homeView(this.#state, {
      ...drawing,
      working: [...this.#working].some(({ at }) => performance.now() - at > SEEN_MS)
        ? "One moment…"
        : undefined,
      pane: (width) => this.#pane(width),
    });
  }

  ended(signal: EndSignal): void {
    this.#end(signal);
  }

  #dispatch(event: HomeEvent): void {
    const { state, effects } = reduce(this.#state, event);
    this.#state = state;
    for (const effect of effects) this.#do(effect);
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => this.#rested(), REST_MS).unref();
    this.#stage.draw();
  }

  /** Reads what the cursor is on. */
  #rested(): void {
    const { view, search } = this.#state;
    const card = search.found?.cards[search.at];
    if (view === "search" && card !== undefined && search.card?.id !== card.id)
      this.#do(does("load", card.id));
  }

  #pane(columns: number): readonly string[] {
    const { search } = this.#state;
    const card: SessionCard | undefined =
      search.card?.id === search.found?.cards[search.at]?.id ? search.card?.card : undefined;
    const [pass] = card?.presentation.passes ?? [];
    if (card === undefined || pass === undefined) return [];
    return this.#composer.compose(card, pass, { step: pass.steps - 1, opened: true }, columns).lines;
  }

  /** Whether somebody else has changed the collection: it is drawn every second. */
  #look(): void {
    const isSeen = this.#state.view === "decks" && this.#state.overview !== undefined;
    if (isSeen && this.#refreshing === "no" && this.#settings.world.isStale()) this.#do(does("overview"));
  }

  #do(effect: Effect): void {
    if (effect.call === "quit") this.#end(undefined);
    else if (effect.call === "overview") void this.#refresh();
    else void this.#work(effect);
  }

  /** One at a time: where it is asked for meanwhile it is read once more. */
  async #refresh(): Promise<void> {
    if (this.#refreshing !== "no") {
      this.#refreshing = "again";
      return;
    }
    do {
      this.#refreshing = "yes";
      const begun = performance.now();
      await this.#work({ call: "overview", args: [] });
      const hasRoom = this.#stage.size().columns >= BESIDE;
      if (hasRoom && performance.now() - begun < LARGE_MS) this.#do(does("firstDue"));
    } while ((this.#refreshing as string) === "again");
    this.#refreshing = "no";
  }

  /** What takes long enough to be seen is said in the bottom line. */
  async #work(effect: Work): Promise<void> {
    const { world, reasonOf } = this.#settings;
    const begun = { at: performance.now() };
    if (seen.has(effect.call)) this.#working.add(begun);
    const run = () =>
      (world[effect.call] as (...args: readonly unknown[]) => Promise<unknown>)(...effect.args);
    let event: HomeEvent;
    try {
      const value = await (needsTerminal.has(effect.call) ? this.#stage.handOver(run) : run());
      event = { type: "result", ...effect, value } as Result;
    } catch (error) {
      event = { type: "failed", effect, text: reasonOf(error) };
    }
    this.#working.delete(begun);
    this.#dispatch(event);
    // What is being read is found while it comes.
    const isReading = event.type === "result" && event.call === "find" && event.value.reading !== undefined;
    if (isReading && effect.args[0] === this.#state.search.query.text)
      setTimeout(() => this.#findAgain(), FIND_MS).unref();
    if (event.type === "failed" && needsTerminal.has(effect.call)) void this.#refresh();
  }

  #findAgain(): void {
    if (this.#state.view === "search") this.#do(does("find", this.#state.search.query.text));
  }
}

/** Said while something takes long enough to be seen. */
const seen: ReadonlySet<Effect["call"]> = new Set([
  ...(["overview", "addCard", "changeCards", "moveCards", "takeBack", "statistics"] as const),
]);

/** What has the terminal meanwhile. */
const needsTerminal: ReadonlySet<Effect["call"]> = new Set([
  ...(["review", "sample", "importFile", "editCard", "editSides"] as const),
]);
