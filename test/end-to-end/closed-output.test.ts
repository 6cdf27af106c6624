import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { using } from "../../src/service/backup/snapshot.ts";
import { type Cli, cli } from "../support/cli.ts";

/** More than two batches. */
const count = 1200;

/** Runs a command on documents whose reader closes the pipe after the first results, before the others are printed. */
async function withEarlyClose(d: Cli, args: readonly string[], documents: readonly object[]) {
  const child = d.start(args);
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null) throw new Error("the streams are pipes");
  const ended = once(child, "exit");
  let messages = "";
  stderr.on("data", (chunk) => {
    messages += chunk;
  });
  stdin.on("error", () => {});
  stdin.end(documents.map((document) => `${JSON.stringify(document)}\n`).join(""));
  await once(stdout, "data");
  stdout.destroy();
  const [code] = await ended;
  return { code, messages };
}

async function collection() {
  const d = cli({ DECKHAND_PROFILE: "local" });
  onTestFinished(d.remove);
  await d.ok(["decks", "create", "G"]);
  return d;
}

const numbered = <T>(create: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => create(index));

describe("changes whose reader closes the pipe after one result", () => {
  test.for(["", "-o ndjson"])("are all made by cards create --from %s", async (output) => {
    const d = await collection();
    const args = ["cards", "create", "--deck", "G", "--from", "-", ...output.split(" ").filter(Boolean)];
    const cards = numbered((index) => ({ content: `card ${index}` }));
    expect(await withEarlyClose(d, args, cards)).toEqual({ code: 0, messages: "" });
    expect(await d.ok(["cards", "list", "--count"])).toBe(`${count}\n`);
  });

  test("are still reported as failed where one fails", async () => {
    const d = await collection();
    const args = ["cards", "create", "--deck", "G", "--from", "-"];
    const cards = [...numbered((index) => ({ content: `card ${index}` })), { content: 5 }];
    const { code, messages } = await withEarlyClose(d, args, cards);
    expect(code).toBe(9);
    expect(messages).toContain(`line ${count + 1}: content must be a string`);
    expect(await d.ok(["cards", "list", "--count"])).toBe(`${count}\n`);
  });
});

test("check --repair repairs all where its reader has closed the pipe", async () => {
  const d = await collection();
  const input = numbered((index) => JSON.stringify({ content: `card ${index}` })).join("\n");
  await d.ok(["cards", "create", "--deck", "G", "--from", "-"], { input });
  using(join(d.home, "data/service/store.sqlite"), (database) =>
    database.exec("update card set checksum = null"),
  );
  const child = d.start(["check", "--repair", "--yes"]);
  const ended = once(child, "exit");
  child.stderr?.resume();
  child.stdout?.destroy();
  expect((await ended)[0]).toBe(0);
  expect(await d.ok(["check"])).toBe("");
});
