import type { Style } from "../output/style.ts";
import { CardComposer } from "../review/screen/body.ts";
import type { SessionCard } from "../review/session/card.ts";
import { presented } from "../review/session/card.ts";
import type { Key } from "../terminal/keys.ts";
import { type Scene, Stage } from "../terminal/stage.ts";
import type { EndSignal } from "../terminal/terminal.ts";
import { BESIDE } from "./decks-view.ts";
import type { HomeWorld } from "./ports.ts";
import { reduce } from "./reducer.ts";
import { type Adding, type Effect, type HomeEvent, type HomeState, startHome } from "./state.ts";
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
/** How often it is looked whether somebody else has changed the collection. */
const LOOK_MS = 2000;

/** Shows the home screen until the user leaves it, or a signal ends it. */
export async function runHome(settings: HomeSettings): Promise<EndSignal | undefined> {
  const stage = new Stage(settings);
  await stage.open();
  let scene: HomeScene | undefined;
  try {
    return await stage.play<EndSignal | undefined>((end) => {
      scene = new HomeScene(settings, stage, end);
      return scene;
    });
  } finally {
    scene?.close();
    stage.close();
  }
}

/** What takes time. */
type Work = Exclude<Effect, { readonly type: "quit" | "suspend" | "redraw" }>;

class HomeScene implements Scene {
  readonly #settings: HomeSettings;
  readonly #stage: Stage;
  readonly #end: (signal: EndSignal | undefined) => void;
  readonly #composer: CardComposer;
  readonly #looking: NodeJS.Timeout;
  #state: HomeState;
  #resting: NodeJS.Timeout | undefined;
  /** What is under way, and since when. */
  readonly #working = new Set<{ readonly label: string | undefined; readonly at: number }>();
  /** An overview is being read; another was asked for meanwhile. */
  #refreshing: "no" | "yes" | "again" = "no";
  #isAway = false;

  constructor(settings: HomeSettings, stage: Stage, end: (signal: EndSignal | undefined) => void) {
    const { world, style, adding } = settings;
    this.#settings = settings;
    this.#stage = stage;
    this.#end = end;
    this.#composer = new CardComposer(world.render, style);
    this.#state = startHome(adding);
    const cached = world.cached();
    if (cached !== undefined)
      this.#state = reduce(this.#state, { type: "overview", overview: cached, cached: true }).state;
    this.#looking = setInterval(() => this.#look(), LOOK_MS);
    this.#looking.unref();
    // After the first frame.
    setImmediate(() => this.#do({ type: "refresh" }));
  }

  key(key: Key): void {
    this.#dispatch({ type: "key", key, page: Math.max(1, this.#stage.terminal.size().rows - 6) });
  }

  draw({ columns, rows }: { readonly columns: number; readonly rows: number }) {
    const { colour, unicode, style, now, day } = this.#settings;
    const drawing = { columns, rows, colour, unicode, style, now: now(), day: day() };
    return homeView(this.#state, {
      ...drawing,
      working: [...this.#working].findLast(({ at }) => performance.now() - at > SEEN_MS)?.label,
      pane: (width) => this.#pane(width),
    });
  }

  paused(): void {
    this.#isAway = true;
  }

  resumed(): void {
    this.#isAway = false;
  }

  ended(signal: EndSignal): void {
    this.#end(signal);
  }

  close(): void {
    clearInterval(this.#looking);
    clearTimeout(this.#resting);
  }

  #dispatch(event: HomeEvent): void {
    const { state, effects } = reduce(this.#state, event);
    this.#state = state;
    for (const effect of effects) this.#do(effect);
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => this.#rested(), REST_MS);
    this.#stage.draw();
  }

  /** Reads what the cursor is on. */
  #rested(): void {
    const { view, search } = this.#state;
    const card = search.found?.cards[search.at];
    if (view !== "search" || card === undefined || search.card?.id === card.id) return;
    void this.#settings.world.load(card.id).then((loaded) => {
      const shown = loaded.kind === "card" ? presented(loaded) : undefined;
      this.#dispatch({ type: "card", id: card.id, card: shown });
    });
  }

  /** The first cards of today, where there is room for them. */
  #readFirst(): void {
    if (this.#isAway || this.#stage.terminal.size().columns < BESIDE) return;
    void this.#settings.world
      .firstDue()
      .catch(() => [])
      .then((cards) => this.#dispatch({ type: "first-due", cards }));
  }

  #pane(columns: number): readonly string[] {
    const { search } = this.#state;
    const card: SessionCard | undefined =
      search.card?.id === search.found?.cards[search.at]?.id ? search.card?.card : undefined;
    const [pass] = card?.presentation.passes ?? [];
    if (card === undefined || pass === undefined) return [];
    return this.#composer.compose(card, pass, { step: pass.steps - 1, opened: true }, columns).lines;
  }

  #look(): void {
    if (this.#isAway || this.#state.view !== "decks") return;
    if (this.#refreshing === "no" && this.#settings.world.isStale()) this.#do({ type: "refresh" });
  }

  #do(effect: Effect): void {
    if (effect.type === "quit") this.#end(undefined);
    else if (effect.type === "suspend") this.#stage.terminal.suspend();
    else if (effect.type === "redraw") this.#stage.redraw();
    else if (effect.type === "refresh") void this.#refresh();
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
      await this.#work({ type: "refresh" });
    } while ((this.#refreshing as string) === "again");
    this.#refreshing = "no";
  }

  /** What takes long enough to be seen is said in the bottom line. */
  async #work(effect: Work): Promise<void> {
    const label = labels[effect.type];
    const begun = { label, at: performance.now() };
    if (label !== undefined) this.#working.add(begun);
    const event = await this.#perform(effect).catch(
      (error: unknown): HomeEvent => ({
        type: "failed",
        of: effect,
        text: this.#settings.reasonOf(error),
      }),
    );
    this.#working.delete(begun);
    if (event !== undefined) this.#dispatch(event);
    if (changing.has(effect.type)) void this.#refresh();
  }

  async #perform(effect: Work): Promise<HomeEvent | undefined> {
    const { world } = this.#settings;
    const done = (result: Parameters<typeof doneOf>[1]) => doneOf(effect, result);
    const away = <T>(work: () => Promise<T>) => this.#stage.terminal.handOver(work);
    const said = (text: string): HomeEvent => ({ type: "said", text });
    switch (effect.type) {
      case "refresh": {
        const begun = performance.now();
        const overview = await world.overview();
        if (performance.now() - begun < LARGE_MS) setTimeout(() => this.#readFirst(), REST_MS).unref();
        return { type: "overview", overview };
      }
      case "review":
        return said(await away(() => world.review(effect.deck)));
      case "sample":
        return said(await away(() => world.sample()));
      case "import":
        return said(await away(() => world.importFile(effect.path)));
      case "edit-card":
        return done({ text: await away(() => world.editCard(effect.id)) });
      case "edit-sides":
        return { type: "sides", sides: await away(() => world.editSides(effect.front, effect.back)) };
      case "read-cards":
        await world.readCards(() => this.#findAgain());
        return this.#find(this.#state.search.query.text);
      case "find":
        return this.#find(effect.query);
      case "add-card":
        return done(await world.addCard(effect.deck, effect.front, effect.back));
      case "same-front":
        return {
          type: "same-front",
          front: effect.front,
          // Only a remark: where it cannot be found out nothing is said.
          id: await world.sameFront(effect.deck, effect.front).catch(() => undefined),
        };
      case "create-deck": {
        const made = await world.createDeck(effect.path);
        const deck = effect.adds && made.id !== undefined ? { id: made.id, path: effect.path } : undefined;
        return { type: "done", of: effect, done: made, deck };
      }
      case "rename-deck":
        return done(await world.renameDeck(effect.id, effect.name));
      case "move": {
        const deck = await world.deckNamed(effect.deck);
        return done(await world.changeCards(effect.ids, { deck: deck.id }, `moved to ${deck.path}`));
      }
      case "change":
        return done(await world.changeCards(effect.ids, effect.change, effect.what));
      case "undo":
        await world.takeBack(effect.undo);
        return done({ text: `Took back: ${effect.undo.text}` });
      case "statistics": {
        const { columns, rows } = this.#stage.terminal.size();
        return { type: "statistics", lines: await world.statistics(columns, rows) };
      }
      case "complete":
        return { type: "completed", completed: await world.complete(effect.kind, effect.text) };
    }
  }

  #findAgain(): void {
    if (this.#state.view === "search") this.#do({ type: "find", query: this.#state.search.query.text });
  }

  /** A query that is not finished yet is no failure: what it found before stays. */
  async #find(query: string): Promise<HomeEvent | undefined> {
    return { type: "found", query, found: await this.#settings.world.find(query) };
  }
}

const doneOf = (effect: Effect, done: Extract<HomeEvent, { type: "done" }>["done"]): HomeEvent => ({
  type: "done",
  of: effect,
  done,
});

/** What is said while something takes long enough to be seen. */
const labels: Readonly<Partial<Record<Effect["type"], string>>> = {
  refresh: "Reading…",
  "add-card": "Saving…",
  change: "Changing…",
  move: "Moving…",
  undo: "Taking back…",
  statistics: "Reading…",
};

/** After these the figures are others. */
const changing: ReadonlySet<Effect["type"]> = new Set(["review", "import", "sample", "edit-card"]);
