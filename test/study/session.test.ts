import { Readable } from "node:stream";
import type { Page } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import type { CardCreate } from "../../src/schema/index.ts";
import { chromium } from "../support/chromium.ts";
import { makeCards } from "../support/collection.ts";
import type { Pty } from "../support/pty.ts";
import { afterGuard, answer, reviewHome, reviewsOf } from "../support/review.ts";
import { answerOnPage, change, closeBrowser, openBrowser, signIn, startStudy } from "../support/study.ts";

afterAll(closeBrowser);

/** Sixty cards of every kind; each says its number on every side. */
async function sixtyCards(client: Client): Promise<string[]> {
  const template = await client.templates.create({
    name: "Word",
    content: "[<< No >>] << Front >>\n---\n[<< No >>] **<< Back >>**\n---\n[<< No >>] more",
    fields: {
      name: { id: "name", name: "Front" },
      b: { id: "b", name: "Back" },
      n: { id: "n", name: "No" },
    },
  });
  const kinds: ((n: number) => Omit<CardCreate, "deck-id">)[] = [
    (n) => ({ content: `[${n}] {{1::Oslo}} is the capital of {{2::Norway}}` }),
    (n) => ({ content: `[${n}] dog\n---\n[${n}] Hund`, "review-reverse?": true }),
    (n) => ({ content: `[${n}] $$\\int_0^1 x\\,dx$$\n---\n[${n}] $\\frac{1}{2}$` }),
    (n) => ({
      content: "",
      "template-id": template.id,
      fields: {
        name: { id: "name", value: `word ${n}` },
        b: { id: "b", value: `meaning ${n}` },
        n: { id: "n", value: String(n) },
      },
    }),
    (n) => ({
      content: `[${n}] River?\n<details><summary>hint</summary>V</details>\n---\n[${n}] ![x](@media/a.png) Volga`,
    }),
    (n) => ({
      content: `[${n}] {{a}} and {{b}}\n\n| a | b |\n| --- | --- |\n| 1 | {{2::c}} |\n---\n[${n}] end`,
    }),
  ];
  return makeCards(
    client,
    Array.from({ length: 60 }, (_, n) => kinds[n % kinds.length]?.(n) ?? { content: "" }),
  );
}

/** What a learner answers who forgets some cards at first: by the card and how often it was asked. */
function learner() {
  const asked = new Map<number, number>();
  return (card: number): boolean => {
    const times = asked.get(card) ?? 0;
    asked.set(card, times + 1);
    return times > 0 || card % 7 !== 3;
  };
}

const numberIn = (text: string): number => Number(/\[(\d+)\]/.exec(text)?.[1] ?? Number.NaN);

const numberOn = async (page: Page): Promise<number> => numberIn(await page.locator("#card").innerHTML());

async function playOnTerminal(pty: Pty): Promise<number[]> {
  const remembers = learner();
  const order: number[] = [];
  for (;;) {
    // A screen that is still being drawn may have the keys without the card.
    const shown = () => numberIn(pty.screen().slice(1, -1).join("\n"));
    const isAsked = (text: string) => /reveal|page down|remembered/.test(text) && !Number.isNaN(shown());
    const text = await pty.until((text) => isAsked(text) || /Done for today|No more/.test(text));
    if (!isAsked(text)) return order;
    const card = shown();
    order.push(card);
    await answer(pty, remembers(card));
  }
}

async function playOnPage(page: Page): Promise<number[]> {
  const remembers = learner();
  const order: number[] = [];
  for (;;) {
    const card = await numberOn(page);
    if (Number.isNaN(card)) return order;
    order.push(card);
    await answerOnPage(page, remembers(card));
  }
}

const outcomes = async (client: Client, ids: readonly string[]): Promise<boolean[][]> => {
  const all: boolean[][] = [];
  for (const id of ids) all.push((await reviewsOf(client, id)).map(([, remembered]) => remembered));
  return all;
};

describe.skipIf(chromium === undefined)("a review on the page", () => {
  test("gives the same reviews as on the terminal for sixty cards of every kind", async () => {
    const home = reviewHome();
    const there = await home.collection(sixtyCards);
    const pty = home.review(["--new", "all"], { columns: 80, rows: 40 });
    const onTerminal = await playOnTerminal(pty);
    pty.press("q");

    const server = await startStudy({ learning: { "new-per-day": 1000 } });
    const here = await sixtyCards(server.client);
    const page = await signIn(await openBrowser(), server);
    await page.getByRole("link", { name: "Review", exact: true }).click();
    await page.locator("#next").waitFor();
    const onPage = await playOnPage(page);

    expect(onPage).toEqual(onTerminal);
    expect(onPage.length).toBeGreaterThan(90);
    const reviews = await outcomes(server.client, here);
    expect(reviews).toEqual(await home.collection((client) => outcomes(client, there)));
    expect(new Set(reviews.map((each) => each.length))).toEqual(new Set([1]));
  }, 300_000);

  test("that is left open asks, when it is looked at again on another day, what is due then", async () => {
    const server = await startStudy();
    await makeCards(server.client, ["[0] a\n---\nb"]);
    const page = await signIn(await openBrowser(), server);
    const look = () => page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    const requests = (path: string) => server.requests.filter((each) => each === `GET /study/${path}`).length;
    const before = requests("");
    await look();
    await expect.poll(() => requests("")).toBe(before + 1);
    await page.getByRole("link", { name: "Review", exact: true }).click();
    await page.locator("#next").waitFor();
    await look();
    await change(page, () => page.keyboard.press("Space"));
    expect(requests("review")).toBe(1);
    await page.clock.setFixedTime(Date.now() + 86_400_000);
    await look();
    await expect.poll(() => requests("review")).toBe(2);
    await page.locator("#next").waitFor();
  });

  test("goes on without a connection, also after a reload, and sends each answer once when it is back", async () => {
    const server = await startStudy();
    const ids = await makeCards(server.client, [
      "[0] a\n---\nb",
      "[1] a\n---\nb",
      "[2] a\n---\nb",
      "[3] a\n---\nb",
    ]);
    const page = await signIn(await openBrowser(), server);
    await page.evaluate("navigator.serviceWorker.ready.then(() => {})");
    await page.reload();
    await page.getByRole("link", { name: "Review", exact: true }).click();
    await page.locator("#next").waitFor();
    await answerOnPage(page, true);
    await expect.poll(() => outcomes(server.client, ids)).toEqual([[true], [], [], []]);
    await expect.poll(() => server.requests).toContain(`GET /study/card/${ids[3]}`);

    server.cut();
    await answerOnPage(page, false);
    await page.getByText("kept here until sent").waitFor();
    await page.reload();
    await page.locator("#next").waitFor();
    // What was forgotten comes again, the others in their order.
    const order: number[] = [];
    for (let i = 0; i < 3; i++) {
      order.push(await numberOn(page));
      await answerOnPage(page, true);
    }
    expect(order.toSorted()).toEqual([1, 2, 3]);
    await page.goto(server.url);
    await page.getByText("Answers kept here until sent").waitFor();
    await page.goBack();
    await page.getByText("Nothing is left").waitFor();
    expect(await outcomes(server.client, ids)).toEqual([[true], [], [], []]);

    const before = server.requests.length;
    server.mend();
    await page.evaluate("dispatchEvent(new Event('online'))");
    await expect.poll(() => outcomes(server.client, ids)).toEqual([[true], [false], [true], [true]]);
    const sent = server.requests.slice(before).filter((request) => request.startsWith("POST"));
    expect(sent.length).toBe(new Set(sent).size);
  });

  test("takes neither a double tap nor a held key for a grade", async () => {
    const server = await startStudy();
    const ids = await makeCards(server.client, ["[0] a\n---\nb", "[1] a\n---\nb"]);
    const page = await signIn(await openBrowser(), server);
    await page.goto(`${server.url}review`);
    await page.locator("#next").waitFor();
    await page.evaluate(`new Promise((done) => {
      const tap = (id) =>
        document.getElementById(id).dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 1 }));
      tap("next");
      setTimeout(() => done(tap("forgot")), 200);
    })`);
    await page.locator("#remembered").waitFor();
    await afterGuard();
    await page.keyboard.down("Space");
    await afterGuard();
    await page.keyboard.down("Space");
    await page.keyboard.up("Space");
    await page.locator("#next").waitFor();
    // The first press of the key graded the first card; held, it did not reveal the second.
    expect(await numberOn(page)).toBe(1);
    await expect.poll(() => outcomes(server.client, ids)).toEqual([[true], []]);
  });

  test("has its session in it: one request, also through its worker", async () => {
    const server = await startStudy();
    await makeCards(server.client, ["[0] a\n---\nb"]);
    const page = await signIn(await openBrowser(), server);
    for (const query of ["", "?type=1"]) {
      const before = server.requests.length;
      await page.goto(`${server.url}review${query}`);
      await page.locator("#card:has-text('[0]')").waitFor();
      const asked = server.requests.slice(before).filter((each) => !/page\.|icon|manifest/.test(each));
      expect(asked).toEqual(["GET /study/review"]);
      await page.evaluate("navigator.serviceWorker.ready.then(() => {})");
    }
  });

  test("plays a sound that was fetched ahead without a connection, although players ask for parts", async () => {
    const server = await startStudy();
    const [id = ""] = await makeCards(server.client, ["[0] ![a](@media/a.mp3)\n---\nb"]);
    const source = async () => ({ stream: Readable.from([Buffer.from("sound")]), size: 5 });
    await server.client.attachments.add(id, { fileName: "a.mp3", source });
    const page = await signIn(await openBrowser(), server);
    await page.evaluate("navigator.serviceWorker.ready.then(() => {})");
    await page.goto(`${server.url}review`);
    await page.locator("#next").waitFor();
    await expect.poll(() => server.requests).toContain(`GET /study/files/${id}/a.mp3`);
    await expect.poll(() => page.evaluate(`caches.match("files/${id}/a.mp3").then(Boolean)`)).toBe(true);
    server.cut();
    // After the ten minutes for which the browser itself keeps it.
    const options = `{ cache: "no-store", headers: { range: "bytes=0-" } }`;
    const part = `fetch("files/${id}/a.mp3", ${options}).then((file) => file.text())`;
    expect(await page.evaluate(part)).toBe("sound");
  });

  test("leaves out in one tab what was answered in another", async () => {
    const server = await startStudy();
    const ids = await makeCards(server.client, ["[0] a\n---\nb", "[1] a\n---\nb", "[2] a\n---\nb"]);
    const context = await openBrowser();
    const one = await signIn(context, server);
    await one.goto(`${server.url}review`);
    const two = await context.newPage();
    await two.goto(`${server.url}review`);
    for (const page of [one, two]) await page.locator("#next").waitFor();
    await answerOnPage(one, true);
    await two.getByText("answered elsewhere").waitFor();
    expect(await numberOn(two)).toBe(1);
    await answerOnPage(two, false);
    await one.getByText("answered elsewhere").waitFor();
    expect(await numberOn(one)).toBe(2);
    await expect.poll(() => outcomes(server.client, ids)).toEqual([[true], [false], []]);
  });

  test("takes a review back whose answer was lost", async () => {
    const server = await startStudy();
    const ids = await makeCards(server.client, ["[0] a\n---\nb", "[1] a\n---\nb"]);
    const page = await signIn(await openBrowser(), server);
    await page.goto(`${server.url}review`);
    await page.locator("#next").waitFor();
    server.lose(/reviews/);
    await answerOnPage(page, false);
    await expect.poll(() => outcomes(server.client, ids)).toEqual([[false], []]);
    await page.getByText("kept here until sent").waitFor();
    await change(page, () => page.keyboard.press("u"));
    server.lose(undefined);
    await page.evaluate("dispatchEvent(new Event('online'))");
    await expect.poll(() => outcomes(server.client, ids)).toEqual([[], []]);
    await answerOnPage(page, true);
    await expect.poll(() => outcomes(server.client, ids)).toEqual([[true], []]);
  });

  test("sends what was kept for one account only in a session of that account", async () => {
    const server = await startStudy();
    const ids = await makeCards(server.client, ["[0] a\n---\nb"]);
    const anna = await server.application.keys.add("anna");
    const context = await openBrowser();
    const page = await signIn(context, server);
    await page.goto(`${server.url}review`);
    await page.locator("#next").waitFor();
    server.lose(/reviews/);
    await answerOnPage(page, true);
    await page.getByText("kept here until sent").waitFor();
    await page.goto(server.url);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Key").waitFor();
    const sent = () =>
      server.requests.filter((request) => request === `POST /study/reviews/${ids[0]}`).length;
    const before = sent();
    server.lose(undefined);
    const hers = await signIn(context, { ...server, key: anna });
    await hers.goto(`${server.url}review`);
    await hers.getByText("Nothing is left").waitFor();
    expect(sent()).toBe(before);
    await hers.goto(server.url);
    await hers.getByRole("button", { name: "Sign out" }).click();
    await hers.getByLabel("Key").waitFor();
    const mine = await signIn(context, server);
    await mine.getByText("Done for today.").waitFor();
    expect(sent()).toBe(before + 1);
    expect(await outcomes(server.client, ids)).toEqual([[true]]);
  });

  test("keeps an answer that is given while somebody else is signed in, until its learner is", async () => {
    const server = await startStudy();
    const ids = await makeCards(server.client, ["[0] a\n---\nb"]);
    const anna = await server.application.keys.add("anna");
    const context = await openBrowser();
    const page = await signIn(context, server);
    await page.goto(`${server.url}review`);
    await page.locator("#next").waitFor();
    const signInAs = async (key: string): Promise<Page> => {
      const other = await context.newPage();
      await other.goto(server.url);
      await other.getByRole("button", { name: "Sign out" }).click();
      await other.getByLabel("Key").waitFor();
      return signIn(context, { ...server, key });
    };
    await signInAs(anna);
    await answerOnPage(page, true);
    await page.getByText("kept here until sent").waitFor({ timeout: 5_000 });
    expect(await outcomes(server.client, ids)).toEqual([[]]);
    const mine = await signInAs(server.key);
    await mine.getByText("Done for today.").waitFor({ timeout: 5_000 });
    expect(await outcomes(server.client, ids)).toEqual([[true]]);
  });

  test("takes back the last answer of the session before", async () => {
    const server = await startStudy();
    const ids = await makeCards(server.client, ["[0] a\n---\nb", "[1] a\n---\nb"]);
    const page = await signIn(await openBrowser(), server);
    await page.goto(`${server.url}review`);
    await page.locator("#next").waitFor();
    await answerOnPage(page, true);
    await expect.poll(() => outcomes(server.client, ids)).toEqual([[true], []]);
    await page.reload();
    await page.locator("#next").waitFor();
    expect(await numberOn(page)).toBe(1);
    await change(page, () => page.keyboard.press("u"));
    expect(await numberOn(page)).toBe(0);
    expect(await outcomes(server.client, ids)).toEqual([[], []]);
    await answerOnPage(page, false);
    await expect.poll(() => outcomes(server.client, ids)).toEqual([[false], []]);
  });

  test("puts a card off until tomorrow, skips one, undoes both, and compares what is typed", async () => {
    const server = await startStudy();
    const ids = await makeCards(server.client, ["[0] Norway?\n---\nOslo", "[1] Sweden?\n---\nStockholm"]);
    const page = await signIn(await openBrowser(), server);
    await page.goto(`${server.url}review?type=1`);
    await page.locator("#typed").fill("Olso");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator(".typed").allTextContents()).toEqual(["you   Olsocard  Oslo"]);
    await page.getByRole("button", { name: "Not today" }).click();
    await expect.poll(() => numberOn(page)).toBe(1);
    await expect.poll(() => server.requests).toContain(`PUT /study/today/${ids[0]}`);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => numberOn(page)).toBe(0);
    await page.getByRole("button", { name: "Skip" }).click();
    await expect.poll(() => numberOn(page)).toBe(1);
    const today = await server.client.today.get({});
    expect(today.today?.count).toBe(2);
  });

  test("goes on typing after a hint", async () => {
    const server = await startStudy();
    await makeCards(server.client, [
      "Norway? <details><summary>hint</summary>in the south</details>\n---\nOslo",
    ]);
    const page = await signIn(await openBrowser(), server);
    await page.goto(`${server.url}review?type=1`);
    await page.getByRole("button", { name: "Hint" }).click();
    await page.getByText("in the south").waitFor();
    await page.keyboard.type("Oslo");
    await page.keyboard.press("Enter");
    await page.locator("#remembered").waitFor();
    expect(await page.locator(".typed").allTextContents()).toEqual(["Right"]);
  });

  test("shows all of a long answer before Space grades it", async () => {
    const server = await startStudy();
    const long = Array.from({ length: 60 }, (_, n) => `line ${n}\n`).join("\n");
    const [id = ""] = await makeCards(server.client, [`[0] a\n---\n${long}`]);
    const page = await signIn(await openBrowser(), server);
    await page.goto(`${server.url}review`);
    await change(page, () => page.keyboard.press("Space"));
    const isEnd = () =>
      page.evaluate<boolean>(
        "document.getElementById('card').getBoundingClientRect().bottom <= document.getElementById('controls').getBoundingClientRect().top + 1",
      );
    for (let presses = 0; !(await isEnd()); presses++) {
      expect(presses).toBeLessThan(10);
      await afterGuard();
      await page.keyboard.press("Space");
      expect(await outcomes(server.client, [id])).toEqual([[]]);
    }
    await afterGuard();
    await change(page, () => page.keyboard.press("Space"));
    await expect.poll(() => outcomes(server.client, [id])).toEqual([[true]]);
  });
});
