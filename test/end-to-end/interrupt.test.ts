import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cli, program } from "../support/cli.ts";
import { temporaryFolder } from "../support/service.ts";

const cards = 1200;

test("Ctrl-C ends an import into the local service, which can then be gone on with", async () => {
  const home = cli({ DECKHAND_PROFILE: "local" });
  try {
    await home.ok(["decks", "create", "Cards"]);
    const folder = await temporaryFolder();
    const file = join(folder, "cards.csv");
    const rows = Array.from({ length: cards }, (_, index) => `q${index},a${index}\n`);
    writeFileSync(file, `front,back\n${rows.join("")}`);
    const journal = join(folder, "journal");
    const args = ["import", file, "--deck", "Cards", "--yes", "--journal", journal];
    const child = spawn(process.execPath, [program, ...args], {
      env: home.env,
      stdio: ["ignore", "ignore", "pipe"],
    });
    let told = "";
    child.stderr.on("data", (chunk: Buffer) => {
      told += chunk.toString("utf8");
    });
    const ended = new Promise<number | null>((done) => child.on("close", done));
    const begun = setInterval(() => {
      if (existsSync(journal) && readFileSync(journal, "utf8").includes('"card 20"')) {
        clearInterval(begun);
        child.kill("SIGINT");
      }
    }, 20);
    const code = await ended;
    clearInterval(begun);
    expect(code).toBe(130);
    expect(told).toContain(`Stopped. Run it again to go on: what was done stands in ${journal}`);
    expect(readFileSync(journal, "utf8")).not.toContain(`"card ${cards}"`);
    expect(readdirSync(folder).toSorted()).toEqual(["cards.csv", "journal"]);
    const again = await home.ok([...args, "-o", "json"]);
    const { cards: made, before } = JSON.parse(again) as { cards: number; before: number };
    expect(made).toBeGreaterThan(0);
    expect(made + before).toBe(cards);
  } finally {
    home.remove();
  }
}, 120_000);
