import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Client } from "../../src/client/index.ts";
import { recorderOf } from "../../src/commands/due/recording.ts";
import type { World } from "../../src/review/ports.ts";
import { presenting } from "../../src/review/session/card.ts";
import { readHistory } from "../../src/review/session/history.ts";
import { openLog } from "../../src/review/session/log.ts";
import { Outbox, type Outcome, openTasks } from "../../src/review/session/outbox.ts";
import { earlierAnswers } from "../../src/review/session/progress.ts";
import { fromService } from "../../src/review/session/queue.ts";
import { Recording } from "../../src/review/session/recording.ts";
import { Session } from "../../src/review/session/session.ts";
import { currentCard, isOver } from "../../src/review/session/state.ts";
import { Days } from "../../src/schedule/days.ts";
import type { PastReview } from "../../src/schedule/index.ts";
import type { DueCard } from "../../src/schema/index.ts";
import { clientOf } from "../../src/study/card.ts";
import { makeCards } from "../support/collection.ts";
import { temporaryFolder } from "../support/folder.ts";
import { seededRandom } from "../support/random.ts";
import { openTestApplication } from "../support/service.ts";
import { count, seed } from "../support/soak.ts";
import { waitFor } from "../support/wait-for.ts";

const learners = count("learners", 20, 500);
const minute = 60_000;
const away: Outcome = { ok: false, kind: "later", reason: "away" };

/** A learner with two devices and one account, whose sessions are begun and left as it comes. */
interface Learner {
  readonly client: Client;
  readonly clock: { now: number };
  readonly random: () => number;
  /** The logs of the devices. */
  readonly logs: Readonly<Record<Visit["device"], string>>;
}

const worldOf = ({ cards, templates }: Client): World => ({
  async load(id) {
    const card = await cards.get(id);
    const template = card["template-id"] ? await templates.get(card["template-id"]) : undefined;
    return { kind: "card", card, template };
  },
  change: async () => ({ ok: true }),
  edit: async () => "",
  open: async () => "",
  play: async () => undefined,
  silence() {},
  forecast: async () => undefined,
  onPictures() {},
  deckPath: (id) => id,
  render: () => [],
});

/** What is done in a session. */
interface Visit {
  /** The terminal knows the reviews of the cards that it asks; the page has ids only. */
  readonly device: "terminal" | "page";
  readonly steps: number;
  readonly isOnline: () => boolean;
  /** "undo", "skip", or how the card is answered. */
  act(): "undo" | "skip" | boolean;
}

/** @returns the reasons why answers were not recorded */
async function visit(learner: Learner, { device, steps, isOnline, act }: Visit): Promise<readonly string[]> {
  const { client, clock } = learner;
  const path = learner.logs[device];
  const knows = device === "terminal";
  const history = historyOf(path);
  const days = new Days();
  const today = days.dayOf(clock.now);
  const day = { history, now: clock.now, startOfToday: days.startOf(today) };
  const asked: DueCard[] = [];
  for await (const { docs } of client.today.cards()) asked.push(...(docs as DueCard[]));
  const known = knows
    ? asked
    : asked.map((card) => ({ id: card.id, asked: (card as { asked?: string }).asked }));
  const pending = new Set(openTasks(history).map(({ line }) => line.review.date));
  // The page leaves out what it has not sent.
  const schedule = (reviews: readonly PastReview[]) =>
    knows || reviews.some(({ date }) => pending.has(date ?? ""))
      ? new Date(days.endOf(today) + 1).toISOString()
      : undefined;
  const queue = fromService(known as DueCard[], { ...day, endOfDay: days.endOf(today), schedule });
  const log = openLog(path);
  const recorder = recorderOf(client);
  const outbox = new Outbox(openTasks(history), {
    recorder: {
      send: async (...given) => (isOnline() ? recorder.send(...given) : away),
      withdraw: async (...given) => (isOnline() ? recorder.withdraw(...given) : away),
    },
    note: log.note,
    now: () => clock.now,
    patience: 0,
  });
  const recording = new Recording({
    recorded: "service",
    log,
    outbox,
    askAgain: async (id, again) => (isOnline() ? recorder.askAgain(id, again) : away),
    now: () => clock.now,
  });
  let ids = 0;
  const session = new Session({
    queue: knows ? queue : { ...queue, asOf: new Date(clock.now).toISOString() },
    world: presenting(worldOf(client)),
    clock: { now: () => clock.now, ticks: () => clock.now },
    newId: () => `${path} ${clock.now} ${ids++}`,
    recording,
    earlier: earlierAnswers(day),
    onChange() {},
  });
  const shown = () => isOver(session.state) || session.card(currentCard(session.state) ?? "") !== undefined;
  for (let step = 0; step < steps; step++) {
    await waitFor(shown, "the card");
    const deed = act();
    clock.now += minute;
    if (deed === "undo") session.act({ type: "undo" });
    // What is undone of a session before is fetched; then a sentence says so.
    if (deed === "undo") await waitFor(() => session.message !== undefined, "the answer to be taken back");
    if (isOver(session.state)) continue;
    if (deed === "skip") session.act({ type: "skip" });
    if (typeof deed !== "boolean") continue;
    for (let side = 0; side < 3; side++) session.act({ type: "reveal", key: "space" });
    clock.now += minute;
    session.act({ type: "grade", remembered: deed, key: "2" });
  }
  await recording.flush();
  const reasons = outbox.status().refused.map(({ reason }) => reason);
  session.close();
  recording.close();
  return reasons;
}

async function learner(random: () => number): Promise<Learner> {
  const clock = { now: new Date(2031, 4, 10, 8).getTime() };
  const application = await openTestApplication({
    now: () => clock.now,
    random(bytes) {
      for (const at of bytes.keys()) bytes[at] = random() * 256;
      return bytes;
    },
  });
  const client = clientOf({ send: (account, request) => application.as(account).send(request) }, "default");
  await makeCards(client, [
    "a\n---\nb",
    "c\n---\nd",
    "e\n---\nf",
    "{{1::g}} {{2::h}} {{3::i}}",
    { content: "j\n---\nk", "review-reverse?": true },
  ]);
  const folder = temporaryFolder();
  return { client, clock, random, logs: { terminal: join(folder, "terminal"), page: join(folder, "page") } };
}

/** How many reviews each card has had since an instant. */
async function reviewsSince({ client }: Learner, since: number): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for await (const { docs } of client.cards.pages())
    for (const { id, reviews } of docs)
      counts.set(id, (reviews ?? []).filter(({ date }) => Date.parse(date ?? "") >= since).length);
  return counts;
}

const historyOf = (path: string) => readHistory(existsSync(path) ? readFileSync(path, "utf8") : "");

const remembered = { steps: 40, isOnline: () => true, act: () => true };

it(
  `a card has one review a day, whichever devices ask it (${learners} learners, seed ${seed})`,
  async () => {
    for (let each = 0; each < learners; each++) {
      const random = seededRandom(seed + each);
      const who = await learner(random);
      const days = new Days();
      for (let day = 0; day < 2; day++) {
        const start = days.startOf(days.dayOf(who.clock.now));
        const due = (await who.client.today.get()).today?.count ?? 0;
        for (let time = 0; time < 6; time++) {
          const online = random() < 0.8;
          await visit(who, {
            device: random() < 0.5 ? "terminal" : "page",
            steps: Math.floor(random() * 7),
            isOnline: () => online,
            act: () => (random() < 0.1 ? "undo" : random() < 0.1 ? "skip" : random() < 0.5),
          });
        }
        const about = `learner ${each}, day ${day}`;
        for (const device of ["terminal", "page", "terminal"] as const)
          await visit(who, { ...remembered, device });
        expect((await who.client.today.get()).today?.count, about).toBe(0);
        const counts = [...(await reviewsSince(who, start)).values()];
        expect(Math.max(...counts), about).toBe(1);
        expect(
          counts.filter((reviews) => reviews === 1),
          about,
        ).toHaveLength(due);
        // All cards are asked again.
        who.clock.now = days.startOf(days.dayOf(who.clock.now) + 30) + 8 * 60 * minute;
      }
    }
  },
  60_000 + learners * 5_000,
);

it("an answer that is taken back and given anew while nothing can be written is recorded once it can", async () => {
  const who = await learner(seededRandom(seed));
  const start = who.clock.now;
  await visit(who, { ...remembered, device: "page", steps: 1, act: () => false });
  const deeds = ["undo", false] as const;
  let at = 0;
  await visit(who, { device: "page", steps: 2, isOnline: () => false, act: () => deeds[at++] ?? "skip" });
  await visit(who, { ...remembered, device: "page", steps: 0 });
  const counts = [...(await reviewsSince(who, start)).values()];
  expect(counts.filter((reviews) => reviews > 0)).toEqual([1]);
});
