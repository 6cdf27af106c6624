import { describe, expect, it } from "vitest";
import type { Changed, Loaded, World } from "../../src/review/ports.ts";
import { presenting, type SessionCard } from "../../src/review/session/card.ts";
import type { AnswerLine, LogFile, LogLine } from "../../src/review/session/log.ts";
import type { Queue, QueueRest } from "../../src/review/session/queue.ts";
import { Recording } from "../../src/review/session/recording.ts";
import { Session } from "../../src/review/session/session.ts";
import type { SessionSettings } from "../../src/review/session/session-cards.ts";
import { currentCard, isOver, placeText } from "../../src/review/session/state.ts";
import type { Card, DueCard } from "../../src/schema/index.ts";
import { waitFor } from "../support/wait-for.ts";

const due = (id: string, extra: Partial<DueCard> = {}): DueCard => ({
  id,
  content: `${id} front\n---\n${id} back`,
  "deck-id": "deck",
  "new?": true,
  reviews: [],
  ...extra,
});

interface Options extends Partial<World> {
  readonly rest?: Queue["rest"];
  readonly cards?: readonly DueCard[];
  readonly append?: LogFile["append"];
}

/** A session over three cards, whose clock does not move unless the test moves it. */
function setUp({ cards = ["a", "b", "c"].map((id) => due(id)), append, rest, ...world }: Options = {}) {
  const lines: LogLine[] = [];
  const changes: unknown[] = [];
  const clock = { time: 1_700_000_000_000, tick: 0 };
  let ids = 0;
  const log: LogFile = {
    append: append ?? ((line) => void lines.push(line)),
    note: (line) => void lines.push(line),
    close() {},
  };
  const settings: SessionSettings<SessionCard> = {
    queue: {
      cards,
      logged: new Map(),
      resumed: {},
      ...(rest && { rest }),
    },
    clock: { now: () => clock.time, ticks: () => clock.tick },
    newId: () => `id${ids++}`,
    recording: new Recording({ recorded: "log", log, now: () => clock.time }),
    onChange() {},
    world: presenting({
      load: async (id) => ({ kind: "card", card: cards.find((card) => card.id === id) as Card }),
      change: async (cardId, change) => {
        changes.push([cardId, change]);
        return { ok: true };
      },
      edit: async () => "",
      open: async () => "",
      play: async () => undefined,
      silence: () => {},
      forecast: async () => undefined,
      onPictures: () => {},
      deckPath: (id) => id,
      render: () => [],
      ...world,
    }),
  };
  const session = new Session(settings);
  const answer = (remembered: boolean) => {
    clock.tick += 1000;
    session.act({ type: "reveal", key: "space" });
    clock.tick += 1000;
    session.act({ type: "grade", remembered, key: "2" });
  };
  return {
    session,
    lines,
    changes,
    clock,
    answer,
    loaded: (id: string) => waitFor(() => session.card(id) !== undefined, id),
  };
}

describe("the session", () => {
  it("writes an answer with the review that follows, and takes both back with undo", async () => {
    const { session, lines, answer, loaded } = setUp();
    await loaded("b");
    answer(true);
    expect(lines).toEqual([
      {
        type: "answer",
        id: expect.any(String),
        "card-id": "a",
        "deck-id": "deck",
        at: "2023-11-14T22:13:20.000Z",
        pass: "forward",
        "remembered?": true,
        duration: 2,
        "new?": true,
        left: 0,
        review: {
          date: "2023-11-14T22:13:20.000Z",
          "remembered?": true,
          duration: 2,
          after: null,
          status: "pending",
        },
      },
    ]);
    session.act({ type: "undo" });
    expect(lines[1]).toMatchObject({ type: "undone", id: (lines[0] as AnswerLine).id });
    expect(session.recording.lines.size).toBe(0);
    session.close();
  });

  it("never gives two answers the same instant", async () => {
    const { session, lines, answer, loaded } = setUp();
    await loaded("c");
    answer(true);
    answer(true);
    const [first, second] = lines as AnswerLine[];
    expect(Date.parse(second?.at ?? "")).toBeGreaterThan(Date.parse(first?.at ?? ""));
    session.close();
  });

  it("begins with the first cards, waits for the rest of what is due, and undoes across both", async () => {
    let arrive: (ids: readonly string[]) => void = () => {};
    const rest = () =>
      new Promise<QueueRest>((resolve) => {
        arrive = (ids) => resolve({ cards: ids.map((id) => due(id)), logged: new Map() });
      });
    const load = async (id: string) => ({ kind: "card", card: due(id) as Card }) as const;
    const { session, answer, loaded } = setUp({ cards: [due("a")], rest, load });
    await loaded("a");
    expect(placeText(session.state)).toBe("1 of 1+");
    answer(true);
    expect([currentCard(session.state), isOver(session.state)]).toEqual([undefined, false]);
    arrive(["a", "b", "c"]);
    await loaded("c");
    expect([currentCard(session.state), placeText(session.state)]).toEqual(["b", "2 of 3"]);
    session.act({ type: "undo" });
    expect([...session.state.position.queue]).toEqual(["a", "b", "c"]);
    answer(true);
    answer(true);
    answer(true);
    expect(isOver(session.state)).toBe(true);
    session.close();
  });

  it("goes on with the first cards if the rest of what is due cannot be read, and says so", async () => {
    const rest = () => Promise.reject(new Error("no answer in time"));
    const { session, answer, loaded } = setUp({ cards: [due("a")], rest });
    await loaded("a");
    await session.complete;
    expect(session.message).toBe("The rest of what is due could not be read: no answer in time");
    expect(placeText(session.state)).toBe("1 of 1");
    answer(true);
    expect(isOver(session.state)).toBe(true);
    session.close();
  });

  it("goes by a clock that is set right in the middle of a session", async () => {
    const { session, lines, clock, answer, loaded } = setUp();
    await loaded("c");
    const right = clock.time;
    clock.time += 10 * 365 * 86_400_000;
    answer(true);
    clock.time = right;
    answer(true);
    answer(true);
    const [, ...later] = (lines as AnswerLine[]).map(({ at }) => Date.parse(at));
    expect(later).toEqual([right, right + 1]);
    session.close();
  });

  it("does not take an answer that cannot be written, and takes it once it can", async () => {
    let full = true;
    const written: LogLine[] = [];
    const { session, answer, loaded } = setUp({
      append(line) {
        if (full) throw new Error("ENOSPC: no space left on device");
        written.push(line);
        return undefined;
      },
    });
    await loaded("a");
    answer(true);
    expect(currentCard(session.state)).toBe("a");
    expect(session.message).toMatch(/not taken.*no space left/);
    full = false;
    answer(true);
    expect(currentCard(session.state)).toBe("b");
    expect(written).toHaveLength(1);
    session.close();
  });

  it("takes an answer that was written but not confirmed by the disk, and says so", async () => {
    const { session, answer, loaded } = setUp({ append: () => new Error("EIO") });
    await loaded("a");
    answer(true);
    expect(currentCard(session.state)).toBe("b");
    expect(session.message).toMatch(/did not confirm/);
    session.close();
  });

  it("makes changes in their order, and says which failed", async () => {
    const asked: string[] = [];
    const answers: ((outcome: Changed) => void)[] = [];
    const { session, loaded } = setUp({
      change: (cardId, change) => {
        asked.push(`${cardId} ${JSON.stringify(change)}`);
        return new Promise((resolve) => answers.push(resolve));
      },
    });
    await loaded("b");
    session.act({ type: "remove", change: "archive" });
    session.act({ type: "remove", change: "trash" });
    await waitFor(() => asked.length === 1, "the first change");
    expect(session.changes.open).toBe(2);
    answers[0]?.({ ok: false, reason: "no answer" });
    await waitFor(() => asked.length === 2, "the second change");
    expect(session.message).toBe("The change of the card could not be made: no answer");
    answers[1]?.({ ok: true });
    await session.changes.idle();
    expect(asked).toEqual(['a {"archived":true}', 'b {"trashed":true}']);
    expect(session.changes.failures).toEqual(["a change of card a could not be made: no answer"]);
    expect(session.changes.open).toBe(0);
    session.close();
  });

  it("brings a card back that could not be archived, as the next one, whatever is undone then", async () => {
    const refused = async () => ({ ok: false, reason: "no answer" }) as const;
    const { session, loaded, answer } = setUp({ change: refused });
    await loaded("c");
    session.act({ type: "remove", change: "archive" });
    expect(currentCard(session.state)).toBe("b");
    answer(true);
    await waitFor(() => session.message?.includes("could not be made") === true, "the failure");
    expect([...session.state.position.queue]).toEqual(["c", "a"]);
    expect(placeText(session.state)).toBe("2 of 3");
    session.act({ type: "undo" });
    expect([...session.state.position.queue].sort()).toEqual(["a", "b", "c"]);
    for (const _ of ["a", "b", "c"]) answer(true);
    expect(isOver(session.state)).toBe(true);
    session.close();
  });

  it("asks the card again that could not be removed where it was the last one", async () => {
    const { session, loaded } = setUp({
      cards: [due("a")],
      change: async () => ({ ok: false, reason: "no answer" }),
    });
    await loaded("a");
    session.act({ type: "remove", change: "put-off" });
    expect(isOver(session.state)).toBe(true);
    await session.changes.idle();
    expect(currentCard(session.state)).toBe("a");
    session.close();
  });

  it("asks at once by what the due query has of a card where the service has become silent", async () => {
    const silent: Loaded = { kind: "later", reason: "no answer in time" };
    let ask = 0;
    const { session, answer } = setUp({
      // Only the first request ends; those after it are waited for.
      load: () => (ask++ === 0 ? Promise.resolve(silent) : new Promise(() => {})),
    });
    for (const id of ["a", "b", "c"]) {
      await waitFor(() => currentCard(session.state) === id && session.card(id)?.partial === true, id);
      answer(true);
    }
    expect(isOver(session.state)).toBe(true);
    session.close();
  });

  it("shows tags at once, and the old ones again if they could not be changed", async () => {
    const { session, loaded } = setUp({
      cards: [due("a", { content: "a #inline" })],
      load: async () => ({ kind: "card", card: { id: "a", content: "a #inline", tags: ["inline", "old"] } }),
      change: async () => ({ ok: false, reason: "no answer" }),
    });
    await loaded("a");
    session.act({ type: "tags", before: ["old"], after: ["new"] });
    expect(session.card("a")?.card.tags).toEqual(["new", "inline"]);
    await session.changes.idle();
    expect(session.card("a")?.card.tags).toEqual(["inline", "old"]);
    session.close();
  });

  it("asks a card that cannot be fetched by what the due query has of it, and skips one that has only fields", async () => {
    const away: Loaded = { kind: "later", reason: "no answer" };
    const { session } = setUp({ cards: [due("a", { content: "" }), due("b")], load: async () => away });
    await waitFor(
      () => currentCard(session.state) === "b" && session.card("b") !== undefined,
      "the second card",
    );
    expect(session.card("b")?.partial).toBe(true);
    expect([...session.state.position.queue]).toEqual(["b", "a"]);
    session.close();
  });

  it("shows a card whole, once it could be fetched, when it comes up again, and does not change it before", async () => {
    let [away, arrived] = [true, false];
    const whole = due("a", { content: "a whole\n---\nback" }) as Card;
    const { session, answer, loaded } = setUp({
      cards: [due("a")],
      load: async () => {
        arrived = !away;
        return away ? { kind: "later", reason: "no answer" } : { kind: "card", card: whole };
      },
    });
    await loaded("a");
    const first = session.card("a");
    away = false;
    await waitFor(() => arrived, "the card");
    session.act({ type: "reveal", key: "space" });
    expect(session.card("a")).toBe(first);
    answer(false);
    expect(session.card("a")).toMatchObject({ partial: false, card: whole });
    session.close();
  });

  it("leaves out a card that was answered elsewhere since the session began", async () => {
    const day = 86_400_000;
    const now = 1_700_000_000_000;
    const at = (days: number, next: number) => ({
      date: new Date(now + days * day).toISOString(),
      due: new Date(now + next * day).toISOString(),
      "remembered?": true,
    });
    const known = at(-5, -1);
    const reviews: Record<string, ReturnType<typeof at>[]> = {
      a: [known, at(-0.1, 0.9)],
      // Due again by now, however it was answered.
      b: [known, at(-3, -0.5)],
      c: [known],
    };
    const { session } = setUp({
      cards: ["a", "b", "c"].map((id) => due(id, { reviews: [known] })),
      load: async (id) => ({ kind: "card", card: due(id, { reviews: reviews[id] ?? [] }) as Card }),
    });
    await waitFor(() => session.card("c") !== undefined, "the cards");
    expect([...session.state.position.queue]).toEqual(["b", "c"]);
    expect(session.message).toBe("A card was answered elsewhere meanwhile, and is left out.");
    session.close();
  });

  it("drops a card that was deleted", async () => {
    const { session } = setUp({
      load: async (id) => (id === "a" ? { kind: "gone" } : { kind: "card", card: due(id) as Card }),
    });
    await waitFor(() => currentCard(session.state) === "b", "the next card");
    session.close();
  });
});
