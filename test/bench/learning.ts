import { default_w, FSRSAlgorithm, Rating } from "ts-fsrs";
import { chooseInterval, fuzzRange } from "../../src/schedule/choose-day.ts";
import { parseEasyDays } from "../../src/schedule/easy-days.ts";
import { forecast } from "../../src/schedule/forecast.ts";
import { planToday } from "../../src/schedule/today.ts";
import { seededRandom } from "../support/random.ts";
import { judge, tell } from "./support.ts";

/**
 * What the order of the day and the chosen day are worth, simulated (docs/design/review.md): the daily load of 600 cards
 * that were added together, a backlog of 2,000 cards, and the time of a forecast.
 *
 *     node scripts/run.mjs test/bench/learning.ts
 */

const fsrs = new FSRSAlgorithm({
  request_retention: 0.9,
  w: [...default_w],
  enable_short_term: false,
  enable_fuzz: false,
});

interface Memory {
  stability: number;
  difficulty: number;
}

/** A simulated card. */
interface Learned {
  readonly id: string;
  memory: Memory;
  last: number;
  due: number;
}

const answered = (memory: Memory | null, elapsed: number, remembered: boolean): Memory => {
  const recall = memory === null ? undefined : fsrs.forgetting_curve(elapsed, memory.stability);
  return fsrs.next_state(memory, elapsed, remembered ? Rating.Good : Rating.Again, recall);
};

const held = [...year(), backlog(), forecastTime()];
process.exitCode = held.every((each) => each) ? 0 : 1;

/** 600 cards added on one day, each reviewed on the day it is due, for a year. */
function year(): boolean[] {
  const plain = simulateYear(undefined);
  const balanced = simulateYear("");
  const easy = simulateYear("sat 50 %, sun 0");
  tell("daily load, coefficient of variation, plain intervals", plain.variation, "");
  tell("the same with a chosen day", balanced.variation, "");
  tell("Saturdays of other days' cards, at sat 50 %", easy.shares[6] ?? 0, "");
  tell("Sundays, at sun 0", easy.shares[0] ?? 0, "");
  tell("retention, plain intervals", 100 * plain.recall, "%");
  tell("retention with a chosen day", 100 * balanced.recall, "%");
  return [
    judge("variation with a chosen day against plain", balanced.variation / plain.variation, 0.7),
    judge("intervals outside the fuzz range", balanced.outside + easy.outside, 0),
    judge("points of retention lost", 100 * Math.abs(plain.recall - balanced.recall), 1),
  ];
}

function simulateYear(easyDays: string | undefined) {
  const random = seededRandom(11);
  const shares = easyDays === undefined ? undefined : parseEasyDays(easyDays);
  const first = 20_000;
  const cards: Learned[] = [];
  const loads = new Map<number, number>();
  const done = new Map<number, number>();
  let [outside, recalls, reviews] = [0, 0, 0];
  const add = (day: number, by: number) => loads.set(day, (loads.get(day) ?? 0) + by);
  const next = (card: Learned, elapsed: number, day: number): number => {
    const interval = fsrs.next_interval(card.memory.stability, elapsed);
    if (easyDays === undefined) return interval;
    const seed = `${card.id} ${day}`;
    const loadOf = (each: number) => loads.get(each) ?? 0;
    const chosen = chooseInterval({ interval, elapsed, day, seed, loadOf, shares });
    const { least, most } = fuzzRange(interval, elapsed);
    if (chosen < least || chosen > most) outside++;
    return chosen;
  };
  for (let index = 0; index < 600; index++) {
    const card = { id: `card${index}`, memory: answered(null, 0, random() < 0.9), last: first, due: 0 };
    card.due = first + next(card, 0, first);
    add(card.due, 1);
    cards.push(card);
  }
  for (let day = first + 1; day <= first + 365; day++)
    for (const card of cards.filter(({ due }) => due === day)) {
      const elapsed = day - card.last;
      const recall = fsrs.forgetting_curve(elapsed, card.memory.stability);
      recalls += recall;
      reviews++;
      done.set(day, (done.get(day) ?? 0) + 1);
      card.memory = answered(card.memory, elapsed, random() < recall);
      card.last = day;
      add(day, -1);
      card.due = day + next(card, elapsed, day);
      add(card.due, 1);
    }
  // The first month is the wave in which all cards come together, whatever is chosen.
  const days = Array.from({ length: 335 }, (_, index) => first + 31 + index);
  const counts = days.map((day) => done.get(day) ?? 0);
  const mean = counts.reduce((sum, each) => sum + each, 0) / counts.length;
  const spread = Math.sqrt(counts.reduce((sum, each) => sum + (each - mean) ** 2, 0) / counts.length);
  return { variation: spread / mean, outside, recall: recalls / reviews, shares: sharesOf(days, counts) };
}

/** How many cards each weekday has, against the mean of Monday to Friday. */
function sharesOf(days: readonly number[], counts: readonly number[]): number[] {
  const sums = new Array<number>(7).fill(0);
  for (const [index, day] of days.entries())
    sums[(day + 4) % 7] = (sums[(day + 4) % 7] ?? 0) + (counts[index] ?? 0);
  const working = sums.slice(1, 6).reduce((sum, each) => sum + each, 0) / 5;
  return sums.map((sum) => sum / working);
}

/** 2,000 cards that fell due while nobody reviewed, 100 a day: seconds for each card remembered after 60 days. */
function backlog(): boolean {
  const [due, easiest] = [workOff("due"), workOff("easiest")];
  tell("backlog of 2,000, longest overdue first, seconds a card remembered", due, "s");
  tell("the same, most likely to be recalled first", easiest, "s");
  return judge("easiest against longest overdue", easiest / due, 1);
}

function workOff(order: "due" | "easiest"): number {
  const random = seededRandom(23);
  const first = 20_000;
  const cards: Learned[] = Array.from({ length: 2000 }, (_, index) => {
    const stability = Math.exp(random() * 5.5);
    const due = first - Math.floor(random() * 90);
    return {
      id: `card${index}`,
      memory: { stability, difficulty: 3 + 5 * random() },
      last: due - Math.max(1, Math.round(stability)),
      due,
    };
  });
  const recallOn = (card: Learned, day: number) =>
    fsrs.forgetting_curve(Math.max(0, day - card.last), card.memory.stability);
  let seconds = 0;
  for (let day = first; day < first + 60; day++) {
    const open = cards.filter((card) => card.due <= day).sort((a, b) => a.due - b.due);
    const byId = new Map(open.map((card) => [card.id, card]));
    const { queue } = planToday({
      cards: open.map((card) => ({ id: card.id, deck: "a", new: false, card })),
      recall: ({ card }) => recallOn(card, day),
      decks: [{ id: "a" }],
      done: [],
      again: [],
      putOff: new Set(),
      newPerDay: 0,
      maxPerDay: 100,
      newCards: "last",
      order,
      meanPerDay: 0,
      random: () => 0,
    });
    for (const { id } of queue) {
      const card = byId.get(id);
      if (card === undefined) continue;
      const remembered = random() < recallOn(card, day);
      seconds += remembered ? 7 : 20;
      card.memory = answered(card.memory, Math.max(0, day - card.last), remembered);
      card.last = day;
      card.due = day + fsrs.next_interval(card.memory.stability, 0);
    }
  }
  const known = cards.reduce((sum, card) => sum + recallOn(card, first + 60), 0);
  return seconds / known;
}

function forecastTime(): boolean {
  const random = seededRandom(3);
  const cards = Array.from({ length: 10_000 }, () => {
    const stability = Math.exp(random() * 5.5);
    const last = 20_000 - Math.floor(random() * stability);
    return { stability, difficulty: 3 + 5 * random(), last, due: last + Math.round(stability) };
  });
  const began = performance.now();
  for (const retention of [0.8, 0.85, 0.9, 0.95])
    forecast(
      {
        cards,
        newCards: 0,
        newPerDay: 0,
        today: 20_000,
        days: 365,
        parameters: default_w,
        ownRecall: 1,
        seconds: { remembered: 8, forgotten: 16 },
        random: () => seededRandom(5),
      },
      retention,
    );
  return judge("seconds of a forecast of 10,000 cards", (performance.now() - began) / 1000, 5);
}
