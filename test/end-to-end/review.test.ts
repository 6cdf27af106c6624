import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { describe, expect, it } from "vitest";
import type { Client } from "../../src/client/index.ts";
import type { CardCreate } from "../../src/schema/index.ts";
import type { Pty } from "../support/pty.ts";
import { seededRandom } from "../support/random.ts";
import {
  afterGuard,
  loggedReviews,
  type ReviewHome,
  reviewHome,
  reviewsOf,
  withoutClock,
} from "../support/review.ts";

/** More sessions than one with DECKHAND_TEST_SEEDS=1,2,3. */
const seeds = (process.env["DECKHAND_TEST_SEEDS"] || "1").split(",").map(Number);

/** Thirty cards of the geography deck, reviewed on a terminal by a user who grades, undoes, edits, archives and quits. */

const fixture = (name: string): Record<string, string>[] =>
  parse(readFileSync(join("test/fixtures/geography", name)), { columns: true, skip_empty_lines: true });

interface TestCard {
  readonly id: string;
  /** How often it is asked: both ways, or once for each cloze group. */
  readonly passes: number;
}

/** Ten cards made with a template, ten with cloze deletions, ten asked both ways; each says its number on every side. */
async function thirtyCards(client: Client): Promise<TestCard[]> {
  const capitals = fixture("capital.csv").slice(0, 30);
  const root = await client.decks.create({ name: "Geography" });
  const deck = await client.decks.create({ name: "Europe", "parent-id": root.id });
  const template = await client.templates.create({
    name: "Capital",
    content: "[<< Number >>] Which is the capital of << Country >>?\n---\n[<< Number >>] **<< Capital >>**",
    fields: {
      name: { id: "name", name: "Country" },
      capital: { id: "capital", name: "Capital" },
      number: { id: "number", name: "Number" },
    },
  });
  const cards: TestCard[] = [];
  for (const [index, row] of capitals.entries()) {
    const [country = "", capital = ""] = [row["country"], row["capital"]];
    const kind = index % 3;
    const groups = index % 2 === 0;
    const body: Omit<CardCreate, "deck-id"> =
      kind === 0
        ? {
            content: "",
            "template-id": template.id,
            fields: {
              name: { id: "name", value: country },
              capital: { id: "capital", value: capital },
              number: { id: "number", value: String(index) },
            },
          }
        : kind === 1
          ? {
              content: groups
                ? `[${index}] {{1::${capital}}} is the capital of {{2::${country}}}.`
                : `[${index}] {{${capital}}} is the capital of {{${country}}}.`,
            }
          : { content: `[${index}] ${country}\n---\n[${index}] ${capital}`, "review-reverse?": true };
    const { id } = await client.cards.create({ ...body, "deck-id": deck.id });
    cards.push({ id, passes: kind === 0 ? 1 : kind === 1 ? (groups ? 2 : 1) : 2 });
  }
  return cards;
}

/** What the answers given so far come to, by the rules of the session told in another way. */
function createModel(cards: readonly TestCard[]) {
  const outcomes = cards.map((): boolean[] => []);
  let actions: { undo: () => void }[] = [];
  const archived = new Set<number>();
  return {
    archived,
    answer(card: number, remembered: boolean) {
      outcomes[card]?.push(remembered);
      actions.push({ undo: () => outcomes[card]?.pop() });
    },
    archive(card: number) {
      archived.add(card);
      actions.push({ undo: () => archived.delete(card) });
    },
    skip: () => actions.push({ undo() {} }),
    undo: () => actions.pop()?.undo(),
    canUndo: () => actions.length > 0,
    /** A new session knows nothing of what can be undone in the last. */
    restart() {
      actions = [];
    },
    review(card: number): boolean[] {
      const given = outcomes[card] ?? [];
      if (given.includes(false)) return [false];
      return given.length === cards[card]?.passes ? [true] : [];
    },
  };
}

const bottom = (pty: Pty) => pty.screen().at(-1) ?? "";
const numberOnScreen = (pty: Pty): number =>
  Number(/\[(\d+)\]/.exec(pty.screen().slice(1, -1).join("\n"))?.[1]);

/** Presses a key and waits until the screen has changed. */
async function change(pty: Pty, key: string): Promise<void> {
  const before = withoutClock(pty.text());
  pty.press(key);
  await pty.until((text) => withoutClock(text) !== before && !text.includes("Fetching"));
}

/** Does something as a user might, until so many actions are done or the session is over. */
async function play(pty: Pty, model: ReturnType<typeof createModel>, random: () => number, actions: number) {
  for (let i = 0; i < actions; i++) {
    await pty.until(/space reveal|2 remembered|Done for now/);
    if (pty.text().includes("Done for now")) return;
    const card = numberOnScreen(pty);
    const choice = random();
    if (choice < 0.07 && model.canUndo()) {
      model.undo();
      await change(pty, "u");
      // Any key takes away the message of what was undone.
      pty.press("g");
    } else if (choice < 0.12 && / s skip/.test(bottom(pty)) && !/(\d+) of \1 /.test(pty.screen()[0] ?? "")) {
      model.skip();
      await change(pty, "s");
    } else if (choice < 0.15) {
      model.archive(card);
      await change(pty, "a");
    } else if (choice < 0.18) {
      pty.press("e");
      await pty.until("The card was changed.");
      // Any key takes the message away.
      await change(pty, "g");
    } else {
      while (/space reveal/.test(bottom(pty))) await change(pty, " ");
      await afterGuard();
      const remembered = random() < 0.75;
      model.answer(card, remembered);
      await change(pty, remembered ? "2" : "1");
    }
  }
}

async function expectReviews(
  home: ReviewHome,
  cards: readonly TestCard[],
  model: ReturnType<typeof createModel>,
): Promise<void> {
  await home.collection(async (client) => {
    for (const [index, { id }] of cards.entries()) {
      const reviews = await reviewsOf(client, id);
      expect([index, ...reviews.map(([, remembered]) => remembered)]).toEqual([
        index,
        ...model.review(index),
      ]);
      expect((await client.cards.get(id))["archived?"] === true).toBe(model.archived.has(index));
    }
  });
}

describe("a review of thirty cards", () => {
  it.each(seeds)(
    "records exactly the answers given, quit in the middle and resumed (seed %i)",
    async (seed) => {
      const home = reviewHome();
      const cards = await home.collection(thirtyCards);
      const editor = join(home.home, "editor.sh");
      writeFileSync(editor, '#!/bin/sh\nprintf "edited" >> "$1"\n');
      chmodSync(editor, 0o755);
      const model = createModel(cards);
      const random = seededRandom(seed);
      const args = ["Geography", "--new", "all"];

      const first = home.review(args, { env: { EDITOR: editor } });
      await play(first, model, random, 25);
      first.press("q");
      expect((await first.ended).code).toBe(0);
      await expectReviews(home, cards, model);

      model.restart();
      const second = home.review(args, { env: { EDITOR: editor } });
      await play(second, model, random, 400);
      await second.until("Done for now");
      second.press("q");
      expect((await second.ended).code).toBe(0);
      await expectReviews(home, cards, model);

      const reviewed = cards.filter((_, index) => model.review(index).length > 0);
      expect(loggedReviews(readFileSync(home.logPath(), "utf8"))).toHaveLength(reviewed.length);
      expect(reviewed.length + model.archived.size).toBeGreaterThanOrEqual(cards.length);
    },
    240_000,
  );
});
