import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "../src/client/index.ts";
import { openPage } from "../test/support/chromium.ts";
import { bin, withCollection } from "../test/support/collection.ts";
import { openPty } from "../test/support/pty.ts";
import { seededRandom } from "../test/support/random.ts";
import { screenSvg } from "./screen-svg.ts";

/**
 * Makes the pictures of the documentation from the built program: the home screen, a search in it, a review and the
 * statistics on a real pseudo-terminal, and the page of statistics in Chromium.
 *
 *     npm run build && node scripts/run.mjs scripts/pictures.ts
 */

const folder = "docs/pictures";
const dayLength = 86_400_000;

async function main(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const place = mkdtempSync(join(tmpdir(), "deckhand-pictures-"));
  const env = { DECKHAND_HOME: place, DECKHAND_PROFILE: "local", TZ: "UTC", COLORTERM: "truecolor" };
  try {
    await withCollection(join(place, "data"), fill);
    const home = openPty({ args: [bin], env, columns: 80, rows: 20 });
    await home.until(/Geography[\s\S]*Words/);
    writeFileSync(join(folder, "home.svg"), screenSvg(home.cells(), "deckhand"));
    home.press("/capital");
    await home.until(/Norway[\s\S]*Oslo/);
    writeFileSync(join(folder, "search.svg"), screenSvg(home.cells(), "deckhand"));
    home.press("\u0003");
    await home.ended;
    home.close();
    const review = openPty({ args: [bin, "review", "Geography"], env, columns: 80, rows: 18 });
    await review.until(/Norway/);
    review.press(" ");
    await review.until("2 remembered");
    writeFileSync(join(folder, "review.svg"), screenSvg(review.cells(), "deckhand review"));
    review.press("q");
    await review.ended;
    review.close();
    const stats = openPty({ args: [bin, "stats"], env, columns: 80, rows: 24 });
    await stats.ended;
    writeFileSync(join(folder, "stats.svg"), screenSvg(stats.cells().slice(0, 23), "deckhand stats"));
    stats.close();
    const page = join(place, "stats.html");
    execFileSync(process.execPath, [bin, "stats", "--report", page], { env: { ...process.env, ...env } });
    const { picture } = await openPage(page, { width: 820, height: 1100 });
    writeFileSync(join(folder, "stats-page.png"), picture);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** A card to look at, and a year of reviews. */
async function fill(client: Client): Promise<void> {
  const root = await client.decks.create({ name: "Geography" });
  const europe = await client.decks.create({ name: "Europe", "parent-id": root.id });
  const content =
    "What is the capital of **Norway**?\n---\n# Oslo\n\n> Called *Kristiania* until 1925.\n\n| Oslo | Norway |\n|---:|---:|\n| 724,000 people | 5.6 million |\n| 454 km² | 385,207 km² |";
  await client.cards.create({ content, "deck-id": europe.id, "manual-tags": ["capital"] });
  for (const country of ["Sweden", "Denmark", "Finland", "Iceland"])
    await client.cards.create({
      content: `What is the capital of ${country}?\n---\n?`,
      "deck-id": europe.id,
    });
  const words = await client.decks.create({ name: "Words" });
  const random = seededRandom(2);
  for (let index = 0; index < 150; index++) {
    const card = await client.cards.create({
      content: `word ${index + 1}\n---\nmeaning`,
      "deck-id": words.id,
    });
    let day = Math.floor(random() * 330);
    for (let step = 1; day < 365 && step < 9; step++) {
      const away = day % 40 > 34 || random() < 0.05;
      if (!away) {
        const date = new Date(Date.now() - (365 - day) * dayLength).toISOString();
        await client.reviews.create(card.id, {
          date,
          "remembered?": random() < 0.9,
          duration: Math.round(4 + random() * 20),
        });
      }
      day += Math.ceil(2.1 ** step * (0.7 + random() * 0.6));
    }
  }
}

await main();
