import { Readable } from "node:stream";
import type { Page } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";
import { chromium } from "../support/chromium.ts";
import { makeCards } from "../support/collection.ts";
import { answerOnPage, closeBrowser, openBrowser, signIn, startStudy } from "../support/study.ts";
import { payloads } from "./payloads.ts";

afterAll(closeBrowser);

/** Hosts other than the service that a page asks, and dialogs that it shows. */
function watch(page: Page, url: string): string[] {
  const seen: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(new URL(url).origin)) seen.push(request.url());
  });
  page.on("dialog", (dialog) => {
    seen.push(dialog.message());
    void dialog.dismiss();
  });
  page.on("popup", () => seen.push("popup"));
  return seen;
}

/** What no card may have: as a text, since the types of pages are not those of the tests. */
const forbidden = `(() => {
  const bad = [...document.querySelectorAll("#card *")].filter((each) =>
    /^(script|iframe|frame|object|embed|form|input|textarea|svg|style|link|meta|base|template|button|select)$/i.test(each.localName) ||
    [...each.attributes].some(({ name, value }) =>
      /^(on|style|id$|name$|srcset|srcdoc|poster|action|formaction|xlink)/i.test(name) ||
      (name === "href" && !/^(https?:\\/\\/|files\\/)/.test(value)) ||
      (name === "src" && !/^files\\/[^/]+\\/[^/]+$/.test(value))));
  return [String(window.pwned), ...bad.map((each) => each.outerHTML)];
})()`;

describe.skipIf(chromium === undefined)("cards of a stranger on the study page", () => {
  test("run nothing and ask no other host, whatever they hold, even without the policy of the page", async () => {
    const server = await startStudy({ learning: { "new-per-day": 1000 } });
    const { client } = server;
    await makeCards(
      client,
      payloads.map((payload, at) => `[${at}] ${payload}\n---\n${payload}`),
      `<img src=x onerror=window.pwned=1>"><script>window.pwned=1</script>`,
    );
    const page = await signIn(await openBrowser({ bypassCSP: true }), server);
    const seen = watch(page, server.url);
    expect(await page.evaluate(forbidden)).toEqual(["undefined"]);
    expect(await page.locator(".decks img, .decks script").count()).toBe(0);
    await page.goto(`${server.url}review`);
    await page.locator("#next").waitFor();
    for (let left = payloads.length + 5; left > 0; left--) {
      for (const step of ["question", "answer"]) {
        expect(await page.evaluate(forbidden), await page.locator("#card").innerHTML()).toEqual([
          "undefined",
        ]);
        if (step === "question") await page.keyboard.press("Space");
      }
      for (const hint of await page.locator("#card summary").all()) await hint.click();
      await answerOnPage(page, true);
      if ((await page.locator("#deck").textContent()) === "Done") break;
    }
    expect(await page.locator("#deck").textContent()).toBe("Done");
    expect(seen).toEqual([]);
  }, 240_000);

  test("run nothing through a template, its fields, a tag, a name of a file or an embedded card", async () => {
    const server = await startStudy({ learning: { "new-per-day": 1000 } });
    const { client } = server;
    const name = `x" onerror="window.pwned=1" y='<script>window.pwned=1<'.png`;
    const template = await client.templates.create({
      name: "<script>window.pwned=1</script>",
      content: `<img src=x onerror=window.pwned=1> << Front >>\n---\n<script>window.pwned=1</script><< Back >>`,
      fields: { name: { id: "name", name: "Front" }, b: { id: "b", name: "Back" } },
    });
    const ids = await makeCards(client, [
      ...payloads.slice(0, 20).map((value) => ({
        content: "",
        "template-id": template.id,
        "manual-tags": [`<img src=x onerror=window.pwned=1>`],
        fields: { name: { id: "name", value }, b: { id: "b", value: `<< Front >> ${value}` } },
      })),
      { content: `![${name}](<@media/${encodeURIComponent(name)}>)\n---\n<img src='${name}'>` },
    ]);
    const first = ids[0] ?? "";
    await makeCards(
      client,
      [`![[${first}]]\n---\n![[${first}/1]] [[${first}|<b onclick=window.pwned=1>]]`],
      "Other",
    );
    const source = async () => ({
      stream: Readable.from([Buffer.from("<script>window.pwned=1</script>")]),
      size: 31,
    });
    await client.attachments.add(ids.at(-1) ?? "", { fileName: name.replaceAll("/", "_"), source });
    const page = await signIn(await openBrowser({ bypassCSP: true }), server);
    const seen = watch(page, server.url);
    await page.goto(`${server.url}review`);
    await page.locator("#next").waitFor();
    while ((await page.locator("#deck").textContent()) !== "Done") {
      expect(await page.evaluate(forbidden)).toEqual(["undefined"]);
      await page.keyboard.press("Space");
      expect(await page.evaluate(forbidden)).toEqual(["undefined"]);
      await answerOnPage(page, true);
    }
    expect(seen).toEqual([]);
  }, 120_000);

  test("would run nothing even if the sanitizer let everything through", async () => {
    const server = await startStudy();
    await makeCards(server.client, ["a\n---\nb"]);
    const page = await signIn(await openBrowser(), server);
    await page.goto(`${server.url}review`);
    await page.locator("#next").waitFor();
    // No policy keeps a page from being left: that is the sanitizer's alone.
    for (const payload of payloads.filter((each) => !each.includes("<meta")))
      await page.evaluate(`document.getElementById("card").innerHTML = ${JSON.stringify(payload)}`);
    await page.evaluate(
      "document.body.append(Object.assign(document.createElement('script'), { text: 'window.pwned=1' }))",
    );
    await page.waitForLoadState("networkidle");
    expect(await page.evaluate("String(window.pwned)")).toBe("undefined");
  });
});
