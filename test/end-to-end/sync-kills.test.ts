import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cli } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { seededRandom } from "../support/random.ts";
import { count, figure, seed } from "../support/soak.ts";

test("a sync that is killed at any time loses and doubles nothing, in either direction", async () => {
  const kills = count("sync_kills", 5, 200);
  const random = seededRandom(seed);
  const program = cli({ DECKHAND_PROFILE: "local" });
  const folder = join(temporaryFolder(), "cards");
  mkdirSync(join(folder, "A"), { recursive: true });
  const written: string[] = [];
  const line = () => {
    written.push(`line ${written.length + 1}.`);
    return written.at(-1) ?? "";
  };
  const files = () => readdirSync(join(folder, "A")).filter((name) => name.endsWith(".md"));
  await program.ok(["decks", "create", "A"]);
  let killed = 0;
  for (let kill = 0; kill < kills; kill++) {
    for (let i = 0; i < 3; i++) writeFileSync(join(folder, "A", `${kill}-${i}.md`), `${line()}\n`);
    for (const name of files().slice(0, 2)) {
      const path = join(folder, "A", name);
      writeFileSync(path, `${readFileSync(path, "utf8")}${line()}\n`);
    }
    const cards = [1, 2, 3].map(() => JSON.stringify({ content: line(), "deck-id": "A" }));
    await program.ok(["cards", "create", "--from", "-", "--deck", "A"], {
      input: cards.map((card) => card.replace(/,"deck-id":"A"/, "")).join("\n"),
    });
    const run = program.start(["sync", folder, "--yes"]);
    const ended = new Promise((resolve) => run.on("close", resolve));
    const timer = setTimeout(() => run.kill("SIGKILL"), 150 + random() * 400);
    run.stdin?.end();
    if ((await ended) === null) killed++;
    clearTimeout(timer);
  }
  await program.ok(["sync", folder, "--yes"]);
  expect(await program.ok(["sync", "status", folder])).toBe("");
  const linesIn = (text: string) => text.match(/line \d+\./g) ?? [];
  const inFiles = files().flatMap((name) => linesIn(readFileSync(join(folder, "A", name), "utf8")));
  const inCards = linesIn(await program.ok(["cards", "list", "-o", "ndjson", "--columns", "content"]));
  expect(inFiles.sort()).toEqual([...written].sort());
  expect([...inCards].sort()).toEqual([...written].sort());
  figure("kill -9 of syncs", { kills, killed, cards: written.length });
}, 1_800_000);
