import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "parse5";
import { describe, expect, test } from "vitest";
import { StatsCollector } from "../../src/stats/collect.ts";
import { statsPage } from "../../src/stats/report/page.ts";
import { chromium, openPage } from "../support/chromium.ts";
import { temporaryFolder } from "../support/folder.ts";
import { seededRandom } from "../support/random.ts";
import { steadyScheduler } from "./support.ts";

const dayLength = 86_400_000;
const now = Date.parse("2026-11-22T10:00:00Z");

/** Ten years of reviews of some thousand cards. */
function tenYears() {
  const random = seededRandom(7);
  const collector = new StatsCollector({
    now,
    dayOf: (instant) => Math.floor(instant / dayLength),
    scheduler: steadyScheduler({ now, recall: 0.9, stability: 30 }),
  });
  for (let card = 0; card < 3000; card++) {
    const first = now - Math.floor(random() * 3650) * dayLength;
    const reviews = [0, 1, 5, 20, 90, 300]
      .map((days) => ({ at: first + days * dayLength, remembered: random() < 0.9, seconds: random() * 30 }))
      .filter(({ at }) => at <= now);
    collector.add({
      id: `card${card}`,
      deckId: "deck",
      name: `<script>alert(${card})</script> & "quotes"`,
      reviews,
      due: (reviews.at(-1)?.at ?? now) + 400 * dayLength,
      state: "active",
    });
  }
  return collector.finish();
}

describe("the page of statistics", () => {
  const figures = tenYears();
  const html = statsPage(figures, 'Deck <b> & "more"', figures.due.days[0]?.date ?? "");

  test("has the year up to an earlier day, with its days only", () => {
    const earlier = figures.days[Math.floor(figures.days.length / 2)]?.date ?? "";
    const page = statsPage(figures, "All decks", earlier);
    expect(page).toContain(`The year up to ${earlier}`);
    expect(page).toContain(`<title>${earlier}: `);
    expect(html).not.toContain(`<title>${earlier}: `);
  });

  test("is valid HTML", () => {
    const problems: string[] = [];
    parse(html, { onParseError: ({ code, startLine }) => problems.push(`${startLine}: ${code}`) });
    expect(problems).toEqual([]);
  });

  test("is at most 300 KB after ten years", () => {
    expect(Buffer.byteLength(html)).toBeLessThan(300_000);
  });

  test("names nothing to load and nothing to run, whatever a card is called", () => {
    expect(html).toContain("default-src 'none'");
    expect(html).not.toMatch(/<script|<link|<img|<iframe|\bsrc=|\bhref=|url\(|@import|\son\w+=/i);
  });

  test("has a table under each plot", () => {
    const sections = html.split("<section>").slice(1);
    expect(sections.length).toBe(10);
    for (const section of sections) expect(section).toContain("<table>");
  });

  test.skipIf(chromium === undefined)(
    "opens in Chromium in light, dark, narrow and on paper, and asks for nothing",
    async () => {
      const file = join(temporaryFolder(), "page.html");
      writeFileSync(file, html);
      const views = [
        await openPage(file, { width: 900, height: 1200 }),
        await openPage(file, { width: 900, height: 1200 }, ["--blink-settings=preferredColorScheme=0"]),
        await openPage(file, { width: 360, height: 900 }),
        await openPage(file, { width: 900, height: 1200 }, ["--print"]),
      ];
      for (const { picture, log } of views) {
        expect(picture.length).toBeGreaterThan(10_000);
        expect(log).not.toMatch(/CONSOLE|Refused to/);
      }
      expect(views[0]?.picture.equals(views[1]?.picture ?? Buffer.alloc(0))).toBe(false);
      expect(views[3]?.picture.toString("latin1", 0, 5)).toBe("%PDF-");
    },
    120_000,
  );
});
