import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cli, program } from "../support/cli.ts";
import { temporaryFolder } from "../support/service.ts";

const cards = 1200;

test.each(["import", "bulk creation"])(
  "Ctrl-C ends a local %s, which can then be gone on with",
  async (what) => {
    const home = cli({ DECKHAND_PROFILE: "local" });
    try {
      await home.ok(["decks", "create", "Cards"]);
      const folder = await temporaryFolder();
      const file = join(folder, "cards");
      const journal = join(folder, "journal");
      const rows = Array.from({ length: cards }, (_, index) =>
        what === "import" ? `q${index},a${index}\n` : `{"content":"${index}"}\n`,
      );
      writeFileSync(file, `${what === "import" ? "front,back\n" : ""}${rows.join("")}`);
      const verb = what === "import" ? ["import", file, "--yes"] : ["cards", "create", "--from", file];
      const item = what === "import" ? "card" : "line";
      const args = [...verb, "--deck", "Cards", "--journal", journal];
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
        if (existsSync(journal) && readFileSync(journal, "utf8").includes(`"${item} 20"`)) {
          clearInterval(begun);
          child.kill("SIGINT");
        }
      }, 20);
      const code = await ended;
      clearInterval(begun);
      expect(code).toBe(130);
      expect(told).toContain(`Stopped. Run it again to go on: what was done stands in ${journal}`);
      expect(readFileSync(journal, "utf8")).not.toContain(`"${item} ${cards}"`);
      expect(readdirSync(folder).toSorted()).toEqual(["cards", "journal"]);
      await home.ok(args);
      expect(JSON.parse(await home.ok(["decks", "get", "Cards"]))).toMatchObject({ "card-count": cards });
    } finally {
      home.remove();
    }
  },
  120_000,
);
