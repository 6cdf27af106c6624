import { expect, it } from "vitest";
import type { Loaded, World } from "../../src/review/ports.ts";
import { presenting } from "../../src/review/session/card.ts";
import { LogFollower } from "../../src/review/session/history.ts";
import { openLog } from "../../src/review/session/log.ts";
import { Outbox, type Outcome, type Recorder } from "../../src/review/session/outbox.ts";
import { Recording } from "../../src/review/session/recording.ts";
import { Session } from "../../src/review/session/session.ts";
import { currentCard, isOver } from "../../src/review/session/state.ts";
import type { Card, DueCard } from "../../src/schema/index.ts";
import { temporaryFolder } from "../support/folder.ts";
import { seededRandom } from "../support/random.ts";
import { idOf, rawClient } from "../support/requests.ts";
import { openTestApplication } from "../support/service.ts";
import { count, figure, seed } from "../support/soak.ts";
import { waitFor } from "../support/wait-for.ts";

const interleavings = count("interleavings", 40, 500);

type Ask = ReturnType<typeof rawClient>;

/** One request at a time for the account, as the client's throttle sees to it. */
function inTurn(ask: Ask): Ask {
  let last: Promise<unknown> = Promise.resolve();
  return (...request) => {
    const answer = last.then(() => ask(...request));
    last = answer.catch(() => {});
    return answer;
  };
}

/** A card with its instants as the client's codec gives them. */
function cardOf({ body }: { readonly body: unknown }): Card {
  const { id, content, reviews } = body as {
    id: string;
    content: string;
    reviews: { date: { date: string }; due: { date: string }; "remembered?": boolean }[];
  };
  return {
    id,
    content,
    reviews: reviews.map((review) => ({ ...review, date: review.date.date, due: review.due.date })),
  };
}

function worldOf(ask: Ask): World {
  return {
    load: async (id): Promise<Loaded> => ({ kind: "card", card: cardOf(await ask("GET", `/cards/${id}`)) }),
    change: async () => ({ ok: true }),
    edit: async () => "",
    open: async () => "",
    play: async () => undefined,
    silence() {},
    forecast: async () => undefined,
    onPictures() {},
    deckPath: (id) => id,
    render: () => [],
  };
}

function recorderOf(ask: Ask): Recorder {
  const outcome = (status: number): Outcome =>
    status < 300 || status === 404 ? { ok: true } : { ok: false, kind: "refused", reason: String(status) };
  return {
    send: async (id, { date, "remembered?": remembered, duration, after }) =>
      outcome(
        (await ask("POST", `/cards/${id}/reviews`, { date, "remembered?": remembered, duration, after }))
          .status,
      ),
    withdraw: async (id, date) =>
      outcome((await ask("DELETE", `/cards/${id}/reviews/${encodeURIComponent(date)}`)).status),
  };
}

/** A session over due cards, whose outbox sends when the test says so: before that it is offline. */
function sessionOn(cards: readonly DueCard[], path: string, ask: Ask, random: () => number) {
  const clock = { now: Date.now, tick: 0 };
  const log = openLog(path);
  const online = { value: false };
  const recorder = recorderOf(ask);
  const away: Outcome = { ok: false, kind: "later", reason: "offline" };
  const outbox = new Outbox([], {
    recorder: {
      send: async (...given) => (online.value ? recorder.send(...given) : away),
      withdraw: async (...given) => (online.value ? recorder.withdraw(...given) : away),
    },
    note: log.note,
    now: clock.now,
    patience: 0,
  });
  let ids = 0;
  const session = new Session({
    queue: { cards, logged: new Map(), resumed: {} },
    world: presenting(worldOf(ask)),
    clock: { now: clock.now, ticks: () => clock.tick },
    newId: () => `${path}${Math.floor(random() * 1e9)}-${ids++}`,
    recording: new Recording({
      recorded: "service",
      log,
      follower: new LogFollower(path),
      outbox,
      now: clock.now,
    }),
    onChange() {},
  });
  return {
    session,
    outbox,
    online,
    /** Answers the card on the screen, or takes the last answer back. */
    async step() {
      if (isOver(session.state)) return;
      const shown = () =>
        isOver(session.state) || session.card(currentCard(session.state) ?? "") !== undefined;
      await waitFor(shown, "the card");
      if (random() < 0.15) return session.act({ type: "undo" });
      clock.tick += 1000;
      session.act({ type: "reveal", key: "space" });
      clock.tick += 1000;
      session.act({ type: "grade", remembered: random() < 0.7, key: "2" });
    },
    close() {
      session.close();
      outbox.close();
      log.close();
    },
  };
}

type Device = ReturnType<typeof sessionOn>;

/** Two sessions over the same cards, answering in turns, each online at times; they share a log or have one each. */
async function interleave(ask: Ask, deck: string, random: () => number, shared: boolean) {
  const cards: DueCard[] = [];
  for (let i = 0; i < 3; i++)
    cards.push({
      ...cardOf(await ask("POST", "/cards", { content: `${i}\n---\nback`, "deck-id": deck })),
      "new?": true,
    } as DueCard);
  const folder = temporaryFolder();
  const both = [0, 1].map((i) => sessionOn(cards, `${folder}/${shared ? 0 : i}.jsonl`, ask, random));
  for (let turn = 0; turn < 14; turn++) {
    const one = both[random() < 0.5 ? 0 : 1] as Device;
    one.online.value = random() < 0.6;
    await one.step();
    if (random() < 0.3) await one.outbox.flush();
  }
  for (const one of both) {
    one.online.value = true;
    // A request that began while it was offline may still fail.
    for (let tries = 0; tries < 5 && (await one.outbox.flush()).waiting > 0; tries++);
    expect(one.outbox.status().waiting).toBe(0);
    one.close();
  }
  const counts: number[] = [];
  for (const { id } of cards) counts.push((cardOf(await ask("GET", `/cards/${id}`)).reviews ?? []).length);
  return counts;
}

it(
  `two sessions on one account record no card twice (${interleavings} interleavings, seed ${seed})`,
  async () => {
    const application = await openTestApplication();
    const ask = inTurn(rawClient(application));
    const deck = idOf(await ask("POST", "/decks", { name: "d" }));
    const random = seededRandom(seed);
    let recorded = 0;
    for (let i = 0; i < interleavings; i++) {
      const counts = await interleave(ask, deck, random, i % 2 === 0);
      expect(Math.max(...counts), `interleaving ${i}`).toBeLessThanOrEqual(1);
      recorded += counts.filter((each) => each === 1).length;
    }
    figure("cards recorded once", recorded);
    expect(recorded).toBeGreaterThan(interleavings);
  },
  30_000 + interleavings * 1000,
);

it("goes on where another session on the machine has answered all that was fetched ahead", async () => {
  const ask = inTurn(rawClient(await openTestApplication()));
  const deck = idOf(await ask("POST", "/decks", { name: "d" }));
  const cards: DueCard[] = [];
  for (let i = 0; i < 6; i++)
    cards.push(
      cardOf(await ask("POST", "/cards", { content: `${i}\n---\nback`, "deck-id": deck })) as DueCard,
    );
  const path = `${temporaryFolder()}/log.jsonl`;
  const [left, other] = [0, 1].map(() => sessionOn(cards, path, ask, () => 0.5)) as [Device, Device];
  const shown = () => left.session.card(currentCard(left.session.state) ?? "") !== undefined;
  await waitFor(shown, "the first card");
  for (let i = 0; i < 4; i++) await other.step();
  left.session.dropAnswered();
  await waitFor(shown, "a card that nobody has answered");
  expect(currentCard(left.session.state)).toBe(cards[4]?.id);
  for (const one of [left, other]) one.close();
});
