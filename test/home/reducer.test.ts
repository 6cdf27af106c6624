import { describe, expect, it } from "vitest";
import { inTree } from "../../src/deck-tree.ts";
import type { HomeDeck, ListedCard, Overview } from "../../src/home/ports.ts";
import { reduce } from "../../src/home/reducer.ts";
import {
  does,
  type Effect,
  type HomeEvent,
  type HomeState,
  type Result,
  startHome,
  treeOf,
} from "../../src/home/state.ts";

/** What keys do, without a screen. */

const run = async () => {};

const deck = (id: string, parent?: string) => ({ id, name: id.toUpperCase(), parent });
const decks = treeOf(
  inTree([deck("a"), deck("b", "a"), deck("c", "b"), deck("d")]),
  new Map(["a", "b", "c", "d"].map((id) => [id, { due: 1, new: 2, cards: 10 }])),
);
const overview = (shown: readonly HomeDeck[] = decks): Overview => ({
  ...{ at: 0, decks: shown, due: 4, new: 8, held: 0, done: 0, ahead: [1, 2], streak: 3 },
});
const card = (id: string, tags: string[] = []): ListedCard => ({
  id,
  name: id,
  deck: "A",
  tags,
  state: "new",
});

const result = <C extends Result["call"]>(
  call: C,
  args: Extract<Result, { call: C }>["args"],
  value: Extract<Result, { call: C }>["value"],
): HomeEvent => ({ type: "result", call, args, value }) as HomeEvent;

class Home {
  state: HomeState = startHome(undefined);
  effects: Effect[] = [];

  on(event: HomeEvent): this {
    const step = reduce(this.state, event);
    this.state = step.state;
    this.effects = [...step.effects];
    return this;
  }

  press(...names: readonly string[]): this {
    for (const name of names) {
      const text = name === "space" ? " " : [...name].length === 1 ? name : undefined;
      this.on({ type: "key", key: { name, ...(text === undefined ? {} : { text }) }, page: 5 });
    }
    return this;
  }

  get chosen() {
    return this.state.rows[this.state.at]?.id;
  }
}

const started = (shown?: readonly HomeDeck[]) => new Home().on(result("overview", [], overview(shown)));
const found = (...cards: ListedCard[]): HomeEvent => result("find", [""], { cards, total: cards.length });

describe("the tree of decks", () => {
  it("sums the figures of a deck and those under it", () => {
    expect(decks.map(({ path, due, cards }) => `${path} ${due} ${cards}`)).toEqual([
      "A 3 30",
      "A/B 2 20",
      "A/B/C 1 10",
      "D 1 10",
    ]);
  });

  it("folds a deck, goes up from one that has nothing to fold, and unfolds it", () => {
    const home = started().press("j", "j", "left");
    expect(home.chosen).toBe("b");
    home.press("h");
    expect(home.state.rows.map(({ id }) => id)).toEqual(["a", "b", "d"]);
    home.press("left", "left", "j");
    expect(home.state.rows.map(({ id }) => id)).toEqual(["a", "d"]);
    expect(home.chosen).toBe("d");
    home.press("k", "l", "j", "right");
    expect(home.state.rows).toHaveLength(4);
  });

  it("stays within the tree, whatever keys move it", () => {
    const home = started().press("k", "pageup");
    expect(home.chosen).toBe("a");
    expect(home.press("G", "j", "pagedown").chosen).toBe("d");
    expect(home.press("g").chosen).toBe("a");
  });

  it("keeps the cursor on its deck where others come and go, and on a neighbour where it is gone", () => {
    const home = started().press("j", "j");
    home.on(result("overview", [], overview(treeOf(inTree([deck("z"), deck("c")]), new Map()))));
    expect(home.chosen).toBe("c");
    home.on(result("overview", [], overview(treeOf(inTree([deck("z")]), new Map()))));
    expect(home.chosen).toBe("z");
  });
});

describe("the keys of the decks", () => {
  it("reviews the deck at the cursor, or all", () => {
    expect(started().press("j", "enter").effects).toEqual([does("review", "b")]);
    expect(started().press("r").effects).toEqual([does("review", undefined)]);
  });

  it("asks for the first deck where there is none, and then for its cards", () => {
    // Enter without a name asks on: the keys after it are no commands.
    const home = started([]).press("a", "enter");
    expect(home.state.prompt).toMatchObject({ type: "create-deck", adds: true });
    home.press("N", "enter");
    expect(home.effects[0]).toEqual(does("createDeck", "N", true));
    home.on(result("createDeck", ["N", true], { text: "", deck: { id: "n", path: "N" } }));
    expect(home.state).toMatchObject({ view: "add", draft: { deck: { id: "n" } } });
  });

  it("goes to the deck that was made, once it is read", () => {
    const home = started().press("n", "z", "enter");
    home.on(result("createDeck", ["z", false], { text: "Made the deck z.", id: "z" }));
    const more = treeOf(inTree([deck("a"), deck("b", "a"), deck("z")]), new Map());
    home.on(result("overview", [], overview())).on(result("overview", [], overview(more)));
    expect(home.chosen).toBe("z");
    // It stays where the cursor is put from then on.
    home.press("g").on(result("overview", [], overview(more)));
    expect(home.chosen).toBe("a");
  });

  it("says nothing of keys that come before the decks are read", () => {
    expect(new Home().press("d").state.message).toBeUndefined();
    expect(started().press("d").state.message).toContain("no key here");
  });

  it("offers the sample only where there is nothing yet", () => {
    expect(started([]).press("d").effects).toEqual([does("sample")]);
    expect(started().press("d").effects).toEqual([]);
  });

  it("takes back the last change first, and offers it again where that failed", () => {
    const undo = (id: string) => ({ text: id, run });
    const home = started();
    for (const id of ["x", "y"])
      home.on(result("changeCards", [["x"], { archived: true }, ""], { text: "", undo: undo(id) }));
    home.press("u");
    expect(home.effects).toEqual([does("takeBack", undo("y"))]);
    home.on({ type: "failed", effect: home.effects[0] as Effect, text: "no" }).press("u");
    expect(home.effects).toEqual([does("takeBack", undo("y"))]);
    expect(home.press("u").effects).toEqual([does("takeBack", undo("x"))]);
    expect(home.press("u").state.message).toMatch(/^There is nothing to take back/);
  });

  it("shows its keys after a review, and takes back nothing that was done before it", () => {
    const home = started();
    const undo = { text: "x", run };
    home.on(result("addCard", ["b", "Q", "A"], { text: "Added", undo }));
    home.on(result("review", ["b"], { text: "Nothing is due." }));
    expect(home.state.undo).toEqual([undo]);
    home.on(result("review", ["b"], { text: "" }));
    expect(home.state.message).toBeUndefined();
    expect(home.press("u").effects).toEqual([]);
  });
});

describe("the card that is being added", () => {
  const adding = () => started().press("j", "a");

  it("is saved with its two sides, and the next one is empty", () => {
    const home = adding().press("Q", "tab");
    expect(home.effects).toEqual([does("sameFront", "b", "Q")]);
    home.press("A", "enter", "B", "ctrl-s");
    expect(home.effects).toEqual([does("addCard", "b", "Q", "A\nB")]);
    // It is on its way: a second press does not send it again, and nothing is typed into it.
    expect(home.press("ctrl-s", "x").effects).toEqual([]);
    home.on(result("addCard", ["b", "Q", "A"], { text: "" }));
    expect(home.state.draft).toMatchObject({ front: { text: "" }, back: { text: "" }, field: "front" });
  });

  it("stays where it cannot be saved, where one leaves the view, and until one leaves twice", () => {
    const home = adding().press("Q", "ctrl-s");
    home.on({ type: "failed", effect: home.effects[0] as Effect, text: "offline" });
    expect(home.state).toMatchObject({
      message: "offline",
      draft: { front: { text: "Q" }, isSending: false },
    });
    home.press("escape", "q");
    expect(home.effects).toEqual([does("overview")]);
    expect(home.state.message).toContain("not saved");
    expect(home.press("a").state.draft.front.text).toBe("Q");
    expect(home.press("escape", "q", "q").effects).toEqual([does("quit")]);
  });

  it("needs a front", () => {
    expect(adding().press("ctrl-s").effects).toEqual([]);
    expect(adding().press("tab", "A", "ctrl-s").state).toMatchObject({
      message: "The front is empty.",
      draft: { field: "front" },
    });
  });

  it("does not show what is known of another front", () => {
    const home = adding().press("Q", "tab");
    home.on(result("sameFront", ["b", "other"], "x"));
    expect(home.state.draft.same).toBeUndefined();
    home.on(result("sameFront", ["b", "Q"], "x"));
    expect(home.state.draft.same).toBe("x");
    expect(home.press("tab", "R").state.draft.same).toBeUndefined();
  });
});

describe("the search", () => {
  const searching = (...cards: ListedCard[]) =>
    started()
      .press("/")
      .on(found(...cards));

  it("finds with each letter, and ignores what an earlier query found", () => {
    const home = started().press("/", "x");
    expect(home.effects).toEqual([does("find", "x")]);
    home.on(found(card("1")));
    expect(home.state.search.found).toBeUndefined();
    home.on({ type: "failed", effect: does("find", ""), text: "no such deck" });
    expect(home.state.message).toBeUndefined();
  });

  it("acts on the card at the cursor, or on all that are marked", () => {
    const home = searching(card("1"), card("2"), card("3")).press("enter", "j", "a");
    expect(home.effects).toEqual([does("changeCards", ["2"], { archived: true }, "archived")]);
    home.press("g", "space", "space", "x");
    expect(home.effects).toMatchObject([
      { call: "changeCards", args: [["1", "2"], { trashed: true }, expect.anything()] },
    ]);
  });

  it("changes only the tags that all marked cards have, and adds to each", () => {
    const home = searching(card("1", ["a", "b"]), card("2", ["b"])).press("enter", "space", "space", "t");
    expect(home.state.prompt).toMatchObject({ before: ["b"], input: { text: "b" } });
    home.press("ctrl-u", "c", "enter");
    expect(home.effects).toMatchObject([{ args: [["1", "2"], { tags: ["c"], before: ["b"] }, "tagged c"] }]);
  });

  it("forgets marks of cards that are found no more", () => {
    const home = searching(card("1"), card("2"))
      .press("enter", "space")
      .on(found(card("2")));
    expect([...home.state.search.marked]).toEqual([]);
  });

  it("begins with an empty query each time", () => {
    const home = searching(card("1")).press("x", "escape", "/");
    expect(home.state.search.query.text).toBe("");
    expect(home.effects).toContainEqual(does("find", ""));
  });

  it("takes no letter of the query for a key", () => {
    const home = searching(card("1")).press("x", "a", "q", "?");
    expect(home.state.search.query.text).toBe("xaq?");
    expect(home.state.view).toBe("search");
    expect(home.press("escape").state.view).toBe("decks");
  });
});
