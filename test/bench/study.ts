import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { gzipSync } from "node:zlib";
import { chromium as playwright } from "playwright-core";
import { newId } from "../../src/schema/ids.ts";
import type { Application } from "../../src/service/app.ts";
import { openApplication } from "../../src/service/app.ts";
import { chromium } from "../support/chromium.ts";
import { judge, median, tell } from "./support.ts";

/**
 * The study page: the first card at 20,000 due cards, in Chromium; fifty people who answer at once; the script's size.
 *
 *     node scripts/run.mjs test/bench/study.ts [cards]
 */

const cards = Number(process.argv[2] ?? 20_000);
const people = 50;
const seconds = 30;
const DAY = 86_400_000;

const folder = mkdtempSync(join(tmpdir(), "deckhand-bench-"));
try {
  const keys = await prepared();
  const server = await served();
  try {
    const held = [await firstCard(server, keys[0] ?? ""), await atOnce(server, keys), scriptSize()];
    process.exitCode = held.flat().every((each) => each) ? 0 : 1;
  } finally {
    server.stop();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The first account has all the cards, the others 200 each. */
async function prepared(): Promise<string[]> {
  const application = await openApplication({ folder, now: Date.now });
  const keys: string[] = [];
  for (let person = 0; person < people; person++) {
    const account = `person${person}`;
    keys.push(await application.keys.add(account));
    await makeDue(application, account, person === 0 ? cards : 200);
  }
  await application.close();
  return keys;
}

async function makeDue(application: Application, account: string, count: number): Promise<void> {
  const transport = application.as(account);
  const deck = newId();
  let operations: unknown[] = [{ "decks.create": { id: deck, name: "Geography" } }];
  const send = async () => {
    const answer = await transport.send({
      method: "POST",
      path: "/batch",
      query: "",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ operations }),
    });
    if (answer.status !== 200) throw new Error(String(answer.body));
    operations = [];
  };
  for (let index = 0; index < count; index++) {
    const id = newId();
    const content = `[${index}] What is the capital of **country ${index}**?\n---\n==city ${index}==, $x^${index}$`;
    const date = new Date(Date.now() - 40 * DAY + index).toISOString();
    operations.push(
      { "cards.create": { id, content, "deck-id": deck } },
      { id, "reviews.add": { reviews: [{ date, "remembered?": true, duration: 4 }] } },
    );
    if (operations.length > 400) await send();
  }
  await send();
}

interface Served {
  readonly url: string;
  readonly pid: number;
  stop(): void;
}

async function served(): Promise<Served> {
  const child = spawn(process.execPath, ["bin/deckhand.js", "serve", "--port", "0", "--data", folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /listening on (\S+)/.exec(line)?.[1];
    if (url !== undefined)
      return { url: `${url}/study/`, pid: child.pid ?? 0, stop: () => void child.kill() };
  }
  throw new Error("serve ended");
}

/** Of a process so far, in ms (Linux). */
function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function firstCard({ url, pid }: Served, key: string): Promise<boolean> {
  if (chromium === undefined) {
    console.log("  no Chromium: the first card was not measured");
    return true;
  }
  const browser = await playwright.launch({ executablePath: chromium, args: ["--no-sandbox"] });
  const page = await browser.newPage();
  // When there is a card, by the page's own clock.
  await page.addInitScript(`new MutationObserver((_, observer) => {
    if (!document.getElementById("card")?.textContent.includes("capital")) return;
    performance.mark("first-card");
    observer.disconnect();
  }).observe(document, { subtree: true, childList: true });`);
  await page.goto(url);
  await page.getByLabel("Key").fill(key);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Today" }).waitFor();
  const times: number[] = [];
  const used: number[] = [];
  for (let run = 0; run < 7; run++) {
    // What the page before fetches ahead is not counted.
    await page.goto("about:blank");
    await new Promise((resolve) => setTimeout(resolve, 500));
    const before = processorTime(pid);
    await page.goto(`${url}review`);
    await page.locator("#card:has-text('capital')").waitFor();
    used.push(processorTime(pid) - before);
    // From the request for the page.
    times.push((await page.evaluate("performance.getEntriesByName('first-card')[0].startTime")) as number);
  }
  await browser.close();
  tell("processor time of serve for it", median(used), " ms");
  return judge(`first card of ${cards} due, from the request`, median(times), 300, " ms");
}

/** Everybody answers a card about every second and a half, and fetches another. */
async function atOnce({ url, pid }: Served, keys: readonly string[]): Promise<boolean[]> {
  const times: number[] = [];
  const origin = new URL(url).origin;
  const end = Date.now() + seconds * 1000;
  const before = processorTime(pid);
  await Promise.all(
    keys.map(async (key, person) => {
      const login = await fetch(`${url}login`, {
        method: "POST",
        redirect: "manual",
        headers: { origin, "content-type": "application/x-www-form-urlencoded" },
        body: `key=${key}`,
      });
      const cookie = (login.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
      const page = await (await fetch(`${url}review`, { headers: { cookie } })).text();
      const session = JSON.parse(/id="session">(.*)<\/script>/.exec(page)?.[1] ?? "") as { queue: string[] };
      await new Promise((resolve) => setTimeout(resolve, person * 30));
      for (const id of session.queue) {
        if (Date.now() > end) return;
        await (await fetch(`${url}card/${id}`, { headers: { cookie } })).text();
        await new Promise((resolve) => setTimeout(resolve, 1000 + ((person * 7919) % 1000)));
        const began = performance.now();
        const answer = await fetch(`${url}reviews/${id}`, {
          method: "POST",
          headers: { origin, cookie, "content-type": "application/json" },
          body: JSON.stringify({ date: new Date().toISOString(), "remembered?": true, duration: 1.5 }),
        });
        await answer.text();
        if (answer.status !== 200) throw new Error(`a grade was answered with ${answer.status}`);
        times.push(performance.now() - began);
      }
    }),
  );
  const inOrder = times.toSorted((a, b) => a - b);
  console.log(
    `  ${people} people, ${times.length} grades in ${seconds} s, median ${median(times).toFixed(1)} ms`,
  );
  tell("processor time of serve for a grade and a card", (processorTime(pid) - before) / times.length, " ms");
  return [judge("99th percentile of a grade", inOrder[Math.floor(times.length * 0.99)] ?? 0, 100, " ms")];
}

function scriptSize(): boolean {
  const size = gzipSync(readFileSync("dist/study/page.js"), { level: 9 }).length;
  return judge("script, minified and gzipped", size / 1024, 15, " KB");
}
