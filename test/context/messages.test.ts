import { PassThrough, Readable } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { eventTeller } from "../../src/context/events.ts";
import { createContext } from "../../src/context/start.ts";
import { UsageError } from "../../src/errors.ts";
import { temporaryFolder } from "../support/service.ts";
import { waitFor } from "../support/wait-for.ts";

/** A context on a terminal, with what it wrote to stderr, and a clock that is set. */
async function onTerminal() {
  const home = await temporaryFolder();
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  let written = "";
  stderr.on("data", (chunk: Buffer) => {
    written += chunk.toString();
  });
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  let shown = "";
  stdout.on("data", (chunk: Buffer) => {
    shown += chunk.toString();
  });
  let now = 0;
  const context = createContext(
    {
      stdin: Object.assign(new PassThrough(), { isTTY: true }),
      stdout,
      stderr,
      env: { DECKHAND_HOME: home, DECKHAND_PROFILE: "local" },
      platform: process.platform,
      home,
      now: () => now,
      random: Math.random,
      signal: new AbortController().signal,
    },
    {},
  );
  onTestFinished(() => context.close());
  const pass = (ms: number) => {
    now += ms;
  };
  return { context, pass, written: () => written, printed: () => shown };
}

test("the failure of one of several items is on a line of its own, above the status line", async () => {
  const { context, pass, written } = await onTerminal();
  (await context.io.status()).begin({ label: "Changing cards" });
  pass(1000);
  await waitFor(() => written().includes("Changing cards"), "the status line");
  const before = written().length;
  context.io.report(new UsageError("line 3: it is no document"));
  await waitFor(() => written().includes("no document"), "the failure");
  expect(written().slice(before)).toContain("\r\u001b[Kdeckhand: line 3: it is no document\n");
});

test("a line on standard output is wrapped between words", async () => {
  const { context, printed } = await onTerminal();
  await context.io.print(`${"word ".repeat(30)}end`);
  const lines = printed().trimEnd().split("\n");
  expect(lines.join(" ")).toBe(`${"word ".repeat(30)}end`);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
});

test("it waits until whatever has the whole terminal gives it back", async () => {
  const { context, written } = await onTerminal();
  const release = context.io.holdMessages();
  context.io.report(new UsageError("the service refused it"));
  context.io.note("kept here");
  expect(written()).toBe("");
  release();
  const both = "deckhand: the service refused it\nkept here\n";
  await waitFor(() => written() === both, "what was said meanwhile");
});

test("a request that is under way when it ends says nothing of a store that is closed", async () => {
  const { context, written } = await onTerminal();
  const client = await context.client();
  const deck = await client.decks.create({ name: "D" });
  const card = await client.cards.create({ "deck-id": deck.id, content: "x" });
  const bytes = (async function* () {
    await context.close();
    yield Buffer.from("x");
  })();
  const stream = Readable.from(bytes);
  const upload = { fileName: "a.txt", source: async () => ({ stream, size: 1 }) };
  await expect(client.attachments.add(card.id, upload)).rejects.toMatchObject({ status: 500 });
  expect(written()).toBe("");
});

test("a wait of more than ten seconds is announced when it begins, with how to end it", async () => {
  const { context, written } = await onTerminal();
  const teller = eventTeller(context);
  teller.event({ type: "wait", why: "pace", ms: 9_000 });
  expect(written()).toBe("");
  teller.event({ type: "wait", why: "pace", ms: 41_500 });
  await waitFor(() => written() !== "", "it is announced");
  expect(written().replace(/\s+/g, " ")).toMatch(/^Waiting 42 s: .*Ctrl-C ends the command/);
  teller.end();
});
