import { cpSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Cli, cli, isOneFile, serve } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { deckhand } from "../support/world.ts";

/** A copy of the program, as a package of its own. */
function copied(): string {
  const folder = temporaryFolder();
  for (const part of ["bin", "dist", "package.json"])
    cpSync(resolve(part), join(folder, part), { recursive: true });
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  return folder;
}

function home(settings: NodeJS.ProcessEnv, main?: string): Cli {
  const made = cli(settings, main);
  onTestFinished(() => made.remove());
  return made;
}

test.skipIf(isOneFile)(
  "serve goes on with all that it does when an update takes its files away",
  async () => {
    const folder = copied();
    const served = await serve(home({}, join(folder, "bin", "deckhand.js")));
    onTestFinished(() => void served.process.kill("SIGKILL"));
    rmSync(join(folder, "dist"), { recursive: true });
    for (const DECKHAND_CODEC of ["json", "transit"]) {
      const account = { DECKHAND_BASE_URL: served.url, DECKHAND_API_KEY: served.key };
      const user = await deckhand({ DECKHAND_PROFILE: "", ...account, DECKHAND_CODEC });
      const ok = async (...args: string[]) => (await user.ok(args)).trim();
      const file = join(user.home, "a.txt");
      writeFileSync(file, "content");
      const deck = await ok("decks", "create", "Geography");
      await ok("templates", "create", "Word", "--content", "<< Word >>", "--field", "name=Word");
      const card = await ok("add", "**bold** #tag [[x]]", "back", "--deck-id", deck);
      await ok("attach", "add", card, file);
      expect(await ok("attach", "get", card, "a.txt", "--output-file", "-")).toBe("content");
      const date = "2026-01-01T00:00:00.000Z";
      await ok(
        "api",
        "POST",
        `/cards/${card}/reviews`,
        "--field",
        "remembered?=true",
        "--field",
        `date=${date}`,
      );
      await ok("api", "DELETE", `/cards/${card}/reviews/${date}`);
      await ok("api", "GET", "/openapi.json");
      expect(await ok("api", "GET", "/", "--jq", ".service")).toBe("deckhand");
      expect(await ok("due", "list", "-o", "id")).toBe(card);
      await ok("attach", "remove", card, "a.txt");
      await ok("attach", "add", card, file);
      await ok("cards", "delete", card, "--yes");
      await ok("decks", "delete", deck, "--yes", "--orphan");
      expect((await user.run(["cards", "get", card])).code).toBe(4);
    }
    expect(await served.stop()).toBe(0);
  },
  60_000,
);
