import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { Page } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";
import { chromium } from "../support/chromium.ts";
import { makeCards } from "../support/collection.ts";
import { afterGuard, tapGuard } from "../support/review.ts";
import { change, closeBrowser, openBrowser, signIn, startStudy } from "../support/study.ts";

afterAll(closeBrowser);

/** Pictures of the pages are kept where this says, to be looked at. */
const pictures = process.env["DECKHAND_TEST_PICTURES"];
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

async function seen(page: Page, name: string): Promise<void> {
  if (pictures) await page.screenshot({ path: join(pictures, `${name}.png`) });
  const { scroll, width } = (await page.evaluate(
    "({ scroll: document.documentElement.scrollWidth, width: innerWidth })",
  )) as { scroll: number; width: number };
  expect(scroll, `${name} is wider than the screen`).toBeLessThanOrEqual(width);
}

async function accessible(page: Page, name: string): Promise<void> {
  await page.evaluate(axe);
  const { violations } = (await page.evaluate("axe.run()")) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  expect(
    violations.map(({ id, nodes }) => `${name}: ${id} ${nodes.map(({ html }) => html).join(" ")}`),
  ).toEqual([]);
}

const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 300"><rect width="900" height="300" fill="teal"/><circle cx="450" cy="150" r="120" fill="gold"/></svg>`;

const cards = [
  `Which river is this?\n\n![The river on a map](@media/river.svg)\n\n<details><summary>hint</summary>It begins with V.</details>\n---\n**Volga**, the longest river of Europe. #rivers #europe\n\n![how it sounds](@media/volga.mp3)`,
  "State the quadratic formula.\n---\n$$x = \\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}$$\n\nwhere $a \\ne 0$; its discriminant is $\\Delta = b^2 - 4ac$ and $\\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix}$ is a matrix.\n\n$$a_1 + a_2 + a_3 + a_4 + a_5 + a_6 + a_7 + a_8 + a_9 + a_{10} + a_{11} + a_{12} + a_{13} + a_{14} + a_{15} + a_{16} + a_{17} + a_{18} = b$$",
  "The capital of {{1::Norway}} is {{2::Oslo}}.\n\n| Country | Capital | Inhabitants of the whole metropolitan region |\n| --- | --- | --- |\n| Norway | {{2::Oslo}} | 1,546,706 |",
  "What does this print?\n\n```js\nconst veryLongName = [1, 2, 3].map((value) => value * 2).filter((value) => value > 2); console.log(veryLongName);\n```\n\n1. one\n2. two\n   - [ ] open\n   - [x] done\n\n> quoted\n---\n`[4, 6]` {漢字}(かんじ) H~2~O <kbd>Ctrl</kbd> Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverordnung",
];

async function prepared() {
  const server = await startStudy();
  const [first = ""] = await makeCards(server.client, cards, "Geography");
  const [deck] = (await server.client.decks.list({})).docs;
  const under = await server.client.decks.create({ name: "Rivers and lakes", "parent-id": deck?.id ?? "" });
  await server.client.cards.create({ content: "a\n---\nb", "deck-id": under.id });
  for (const [fileName, content] of [
    ["river.svg", picture],
    ["volga.mp3", "sound"],
  ] as const) {
    const source = async () => ({
      stream: Readable.from([Buffer.from(content)]),
      size: Buffer.byteLength(content),
    });
    await server.client.attachments.add(first, { fileName, source });
  }
  return server;
}

/** All pages, each card before and after its answer. */
async function visit(
  page: Page,
  url: string,
  at: (page: Page, name: string) => Promise<void>,
): Promise<void> {
  await page.goto(`${url}login`);
  await at(page, "login");
  await page.goto(url);
  await at(page, "decks");
  await page.goto(`${url}review`);
  await page.locator("#next").waitFor();
  for (let card = 0; card < 6; card++) {
    await at(page, `card-${card}`);
    await change(page, () => page.locator("#next").click());
    await at(page, `card-${card}-answer`);
    await change(page, () => page.keyboard.press("s"));
  }
  // The last: after axe has searched its plots this Chromium passes no more keys on.
  await page.goto(`${url}stats`);
  await at(page, "stats");
}

describe.skipIf(chromium === undefined)("the pages in a browser", () => {
  test.each([
    [320, "light", 1],
    [768, "dark", 1],
    [1440, "light", 1],
    // The text of 200 %: half as many points across.
    [640, "dark", 2],
  ] as const)(
    "fit a screen of %i pixels (%s, %i times as large)",
    async (width, scheme, scale) => {
      const server = await prepared();
      const viewport = { width: width / scale, height: Math.round(640 / scale) + 160 };
      const context = await openBrowser({ viewport, deviceScaleFactor: scale, colorScheme: scheme });
      const page = await context.newPage();
      await page.goto(`${server.url}login`);
      await seen(page, `${width}-login`);
      await page.close();
      const inside = await signIn(context, server);
      await visit(inside, server.url, (each, name) => seen(each, `${width}-${name}`));
    },
    120_000,
  );

  test("have nothing that axe finds, light and dark", async () => {
    const server = await prepared();
    for (const colorScheme of ["light", "dark"] as const) {
      const context = await openBrowser({ colorScheme, bypassCSP: true });
      await visit(await signIn(context, server), server.url, (each, name) =>
        accessible(each, `${colorScheme} ${name}`),
      );
    }
  }, 240_000);

  test("can be installed", async () => {
    const server = await prepared();
    const context = await openBrowser();
    const page = await signIn(context, server);
    await page.evaluate("navigator.serviceWorker.ready.then(() => {})");
    const devtools = await context.newCDPSession(page);
    const { installabilityErrors } = await devtools.send("Page.getInstallabilityErrors");
    // A window without a history, as tests have, installs nothing.
    expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== "in-incognito")).toEqual(
      [],
    );
    expect((await devtools.send("Page.getAppManifest")).errors).toEqual([]);
  });

  test("are used by keyboard alone, with Tab and with the keys of the terminal", async () => {
    const server = await prepared();
    const context = await openBrowser();
    const page = await context.newPage();
    await page.goto(server.url);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.type(server.key);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Today" }).waitFor();
    const focused = () => page.evaluate("document.activeElement.textContent.trim()");
    while ((await focused()) !== "Review") await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.locator("#next").waitFor();
    while (!(await page.locator("#hint").isVisible())) await change(page, () => page.keyboard.press("s"));
    await page.keyboard.press("h");
    expect(await page.locator("#card details").getAttribute("open")).toBe("");
    while ((await focused()) !== "Show answer") await page.keyboard.press("Tab");
    await change(page, () => page.keyboard.press("Enter"));
    await page.locator("#remembered").waitFor();
    while ((await focused()) !== "Forgot") await page.keyboard.press("Tab");
    // A button that a key presses is tapped.
    await afterGuard(tapGuard);
    await change(page, () => page.keyboard.press("Space"));
    await expect
      .poll(() => server.requests.filter((each) => each.startsWith("POST /study/reviews")).length)
      .toBe(1);
    await change(page, () => page.keyboard.press("u"));
    expect(await page.locator("#card").innerHTML()).toContain("Volga");
  });
});
