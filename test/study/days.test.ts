import { afterAll, describe, expect, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import { chromium } from "../support/chromium.ts";
import { makeCards } from "../support/collection.ts";
import { reviewsOf } from "../support/review.ts";
import {
  answerOnPage,
  closeBrowser,
  openBrowser,
  type StudyServer,
  signIn,
  startStudy,
} from "../support/study.ts";

/** The page over days, and beside other devices. */

const DAY = 86_400_000;

afterAll(closeBrowser);

const outcomesOf = async (client: Client, ids: readonly string[]): Promise<boolean[][]> =>
  Promise.all(ids.map(async (id) => (await reviewsOf(client, id)).map(([, remembered]) => remembered)));

/** A review on another device. */
const answerElsewhere = ({ client }: StudyServer, id: string, remembered: boolean, at = Date.now()) =>
  client.reviews.create(id, { date: new Date(at).toISOString(), "remembered?": remembered });

async function openReview(server: StudyServer) {
  const page = await signIn(await openBrowser(), server);
  await page.goto(`${server.url}review`);
  await page.locator("#next").waitFor();
  return page;
}

const forgottenToday = async ({ client }: StudyServer) => (await client.today.get({})).today?.forgotten;

describe.skipIf(chromium === undefined)("a review on the page", () => {
  test("records cards that were reviewed before on another device, and statistics count all", async () => {
    const server = await startStudy();
    const ids = await makeCards(server.client, ["[0] a\n---\nb", "[1] a\n---\nb"]);
    for (const id of ids) await answerElsewhere(server, id, true, Date.now() - 30 * DAY);
    const page = await openReview(server);
    await answerOnPage(page, true);
    await answerOnPage(page, false);
    // One of each, whichever came first.
    const counted = async () => (await outcomesOf(server.client, ids)).map((each) => each.join()).sort();
    await expect.poll(counted).toEqual(["true,false", "true,true"]);
    await page.goto(`${server.url}stats`);
    expect(await page.locator("body").textContent()).toContain("2 reviews today, 50% remembered");
  });

  test("asks what was forgotten once more after a reload, wherever it was forgotten", async () => {
    const server = await startStudy();
    const ids = await makeCards(server.client, ["[0] a\n---\nb", "[1] a\n---\nb", "[2] a\n---\nb"]);
    await answerElsewhere(server, ids[2] ?? "", false);
    const page = await openReview(server);
    expect(await page.locator("#place").textContent()).toBe("1 of 3");
    await page.reload();
    await page.locator("#card:has-text('[2]')").waitFor();
    await answerOnPage(page, true);
    await expect.poll(() => forgottenToday(server)).toBe(0);
    await answerOnPage(page, false);
    await expect.poll(() => outcomesOf(server.client, ids)).toEqual([[false], [], [false]]);
    await page.reload();
    await page.locator("#next").waitFor();
    expect(await page.locator("#place").textContent()).toBe("1 of 2");
    expect(await forgottenToday(server)).toBe(1);
  });

  test("leaves out a card that was answered elsewhere before it is fetched", async () => {
    const server = await startStudy();
    const fronts = Array.from({ length: 5 }, (_, n) => `[${n}] a\n---\nb`);
    const ids = await makeCards(server.client, fronts);
    const page = await signIn(await openBrowser({ serviceWorkers: "block" }), server);
    let goOn = () => {};
    const gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    await page.route("**/study/card/*", async (route) => {
      await gate;
      await route.continue();
    });
    await page.goto(`${server.url}review`);
    await page.locator("#next").waitFor();
    // Two reviews within a second are taken for one.
    await answerElsewhere(server, ids[3] ?? "", true, Date.now() + 2000);
    goOn();
    await expect.poll(() => page.locator("#place").textContent()).toBe("1 of 4");
    for (let n = 0; n < 4; n++) await answerOnPage(page, true);
    await page.getByText("4 cards · 4 remembered").waitFor();
    await expect.poll(() => outcomesOf(server.client, ids)).toEqual(ids.map(() => [true]));
  });

  test("ends on another day without what was forgotten the day before", async () => {
    const server = await startStudy();
    const ids = await makeCards(server.client, ["[0] a\n---\nb"]);
    const page = await signIn(await openBrowser(), server);
    await page.clock.install();
    await page.goto(`${server.url}review`);
    await answerOnPage(page, false);
    await page.locator("#next").waitFor();
    await page.clock.setFixedTime(Date.now() + DAY);
    await answerOnPage(page, true);
    await page.getByText("A new day has begun").waitFor();
    expect(await outcomesOf(server.client, ids)).toEqual([[false]]);
  });

  test("asks the session of the day before as cards of today where there is no connection", async () => {
    const server = await startStudy();
    const ids = await makeCards(server.client, ["[0] a\n---\nb", "[1] a\n---\nb"]);
    const page = await signIn(await openBrowser(), server);
    await page.evaluate("navigator.serviceWorker.ready.then(() => {})");
    await page.goto(`${server.url}review`);
    await page.locator("#next").waitFor();
    await answerOnPage(page, false);
    await expect.poll(() => outcomesOf(server.client, ids)).toEqual([[false], []]);
    await page.reload();
    await page.locator("#next").waitFor();
    server.cut();
    await page.clock.setFixedTime(Date.now() + DAY);
    await page.reload();
    await page.locator("#next").waitFor();
    await page.keyboard.press("u");
    await page.getByText("There is no answer of today to take back.").waitFor();
    for (let n = 0; n < 2; n++) await answerOnPage(page, true);
    server.mend();
    await page.evaluate("dispatchEvent(new Event('online'))");
    await expect.poll(() => outcomesOf(server.client, ids)).toEqual([[false, true], [true]]);
  });

  test("tells the service once it can that a card is remembered by now", async () => {
    const server = await startStudy();
    const ids = await makeCards(server.client, ["[0] a\n---\nb", "[1] a\n---\nb"]);
    const page = await openReview(server);
    server.cut();
    await answerOnPage(page, false);
    for (let n = 0; n < 2; n++) await answerOnPage(page, true);
    await page.getByText("2 cards").waitFor();
    server.mend();
    await page.evaluate("dispatchEvent(new Event('online'))");
    await expect.poll(() => outcomesOf(server.client, ids)).toEqual([[false], [true]]);
    await expect.poll(() => forgottenToday(server)).toBe(0);
  });

  test("tells it also of a card that was forgotten before the connection was lost", async () => {
    const server = await startStudy();
    const ids = await makeCards(server.client, ["[0] a\n---\nb"]);
    const page = await openReview(server);
    await answerOnPage(page, false);
    await expect.poll(() => outcomesOf(server.client, ids)).toEqual([[false]]);
    server.cut();
    await answerOnPage(page, true);
    await page.getByText("1 card ").waitFor();
    server.mend();
    await page.evaluate("dispatchEvent(new Event('online'))");
    await expect.poll(() => forgottenToday(server)).toBe(0);
  });

  test("says on the page of decks which answers were not recorded", async () => {
    const server = await startStudy();
    const ids = await makeCards(server.client, ["[0] a\n---\nb"]);
    const page = await openReview(server);
    server.cut();
    await answerOnPage(page, true);
    await page.getByText("kept here until sent").waitFor();
    await answerElsewhere(server, ids[0] ?? "", false, Date.now() + 2000);
    server.mend();
    await page.goto(server.url);
    await page.getByText("Not recorded: the card was answered in another session meanwhile.").waitFor();
    expect(await outcomesOf(server.client, ids)).toEqual([[false]]);
  });

  test("goes on through days without a connection, each with its own answers", async () => {
    const server = await startStudy();
    const ids = await makeCards(server.client, ["[0] a\n---\nb", "[1] a\n---\nb"]);
    const page = await signIn(await openBrowser(), server);
    await page.evaluate("navigator.serviceWorker.ready.then(() => {})");
    await page.goto(`${server.url}review`);
    await page.locator("#next").waitFor();
    // A proxy in front of a service that is away answers itself.
    server.cut("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    const today = Date.now();
    await page.clock.setFixedTime(today + DAY);
    await page.reload();
    await page.locator("#next").waitFor();
    await answerOnPage(page, false);
    await page.getByText("kept here until sent").waitFor();
    await page.clock.setFixedTime(today + 2 * DAY);
    await page.reload();
    await page.locator("#next").waitFor();
    await page.keyboard.press("u");
    await page.getByText("There is no answer of today to take back.").waitFor();
    await answerOnPage(page, true);
    server.mend();
    await page.evaluate("dispatchEvent(new Event('online'))");
    await expect.poll(() => outcomesOf(server.client, ids)).toEqual([[false], [true]]);
  });
});
