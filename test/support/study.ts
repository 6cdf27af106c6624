import { connect, createServer, type Socket } from "node:net";
import { type Browser, type BrowserContext, type Page, chromium as playwright } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { type Client, createClient } from "../../src/client/index.ts";
import type { ApplicationOptions } from "../../src/service/app.ts";
import { startServer } from "../../src/service/server.ts";
import { chromium } from "./chromium.ts";
import { httpOver } from "./http.ts";
import { afterGuard } from "./review.ts";
import { openTestApplication, type TestApplication } from "./service.ts";

/** A real service with the study page, and a line to it that can be cut. */
export interface StudyServer {
  /** Of the page, through the line: ends with a slash. */
  readonly url: string;
  readonly key: string;
  readonly application: TestApplication;
  readonly client: Client;
  /** Requests of the page by method and path, in their order. */
  readonly requests: readonly string[];
  /** No connection from now on, or one to a proxy that answers so; or a new one. */
  cut(answer?: string): void;
  mend(): void;
  /** Answers of requests to these paths are lost from now on, the requests are not. */
  lose(path: RegExp | undefined): void;
}

export async function startStudy(options: Partial<ApplicationOptions> = {}): Promise<StudyServer> {
  const application = await openTestApplication(options);
  const requests: string[] = [];
  let lost: RegExp | undefined;
  const study = await application.study();
  const server = await startServer(application, {
    host: "127.0.0.1",
    port: 0,
    study: {
      async answer(request) {
        const answer = await study.answer(request);
        requests.push(`${request.method} ${request.path}`);
        if (lost?.test(request.path)) throw new Error("lost");
        return answer;
      },
    },
  });
  const line = await openLine(Number(new URL(server.url).port));
  onTestFinished(async () => {
    line.close();
    await server.close();
  });
  return {
    url: `http://127.0.0.1:${line.port}/study/`,
    key: application.key,
    application,
    client: createClient(httpOver(application.as("default"))),
    requests,
    cut: (answer) => line.cut(answer),
    mend: () => line.mend(),
    lose(path) {
      lost = path;
    },
  };
}

async function openLine(to: number) {
  const sockets = new Set<Socket>();
  let [whole, instead] = [true, ""];
  const server = createServer((socket) => {
    if (!whole) return instead === "" ? socket.resetAndDestroy() : socket.end(instead);
    const other = connect(to, "127.0.0.1");
    for (const each of [socket, other]) {
      sockets.add(each);
      each.on("error", () => {});
      each.once("close", () => sockets.delete(each));
    }
    socket.pipe(other).pipe(socket);
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const drop = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    cut(answer = "") {
      [whole, instead] = [false, answer];
      drop();
    },
    mend() {
      whole = true;
    },
    close() {
      drop();
      server.close();
    },
  };
}

let browser: Promise<Browser> | undefined;

/** A browser of its own, without cookies and storage, gone when the test is over. */
export async function openBrowser(
  options: Parameters<Browser["newContext"]>[0] = {},
): Promise<BrowserContext> {
  browser ??= playwright.launch({
    executablePath: chromium ?? "",
    args: ["--no-sandbox", "--disable-gpu"],
  });
  const context = await (await browser).newContext({ viewport: { width: 768, height: 900 }, ...options });
  onTestFinished(() => context.close());
  return context;
}

/** Ends the browser of this file. */
export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
  browser = undefined;
}

export async function signIn(context: BrowserContext, { url, key }: StudyServer): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  await page.getByLabel("Key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Today" }).waitFor();
  return page;
}

/** What is on the page but its messages, to see whether it has changed. */
const onPage = async (page: Page): Promise<string> => {
  const parts = ["#card", "#place", "#grades"].map((part) => page.locator(part).innerHTML());
  return (await Promise.all(parts)).join();
};

export async function change(page: Page, act: () => Promise<void>): Promise<void> {
  const before = await onPage(page);
  await act();
  await expect.poll(() => onPage(page), { interval: 10, timeout: 10_000 }).not.toBe(before);
}

/** Reveals and grades the card on the page by keys, as soon as the guard lets it. */
export async function answerOnPage(page: Page, remembered: boolean): Promise<void> {
  await page.locator("#next:visible, #remembered:visible").first().waitFor();
  while (await page.locator("#next").isVisible()) await change(page, () => page.keyboard.press("Space"));
  await afterGuard();
  await change(page, () => page.keyboard.press(remembered ? "2" : "1"));
}
