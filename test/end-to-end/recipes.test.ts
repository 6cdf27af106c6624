import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { type Cli, cli, program, type Served, serve } from "../support/cli.ts";

/** The recipes of docs/ci.md, run by the shells and with the settings that their services have. */

const page = readFileSync("docs/ci.md", "utf8");
const tools = ["git", "bash"].filter((tool) => spawnSync(tool, ["--version"]).status !== 0);
if (tools.length > 0) console.warn(`without ${tools.join(" and ")} the recipes are not tried`);

describe.skipIf(tools.length > 0)("the recipe", () => {
  let host: Cli;
  let home: Cli;
  let served: Served;
  let work: string;

  beforeAll(async () => {
    work = mkdtempSync(join(tmpdir(), "deckhand-recipe-"));
    mkdirSync(join(work, "bin"));
    symlinkSync(program, join(work, "bin", "deckhand"));
    host = cli();
    served = await serve(host);
    home = cli({ DECKHAND_BASE_URL: served.url, DECKHAND_API_KEY: served.key });
    await home.ok(["decks", "create", "Geography"]);
    await home.ok(["decks", "create", "Drafts"]);
  });
  afterAll(async () => {
    await served.stop();
    for (const each of [host, home]) each.remove();
    rmSync(work, { recursive: true, force: true, maxRetries: 10 });
  });

  describe("for GitHub Actions", () => {
    test("creates each card once, with the push that adds it", async () => {
      const { job, folder, commit } = repository();
      const first = commit({ "README.md": "cards" });
      const second = commit({ "cards/Norway.md": "Norway", "cards/the south/San Marino.md": "San Marino" });
      expect(job(first).map(({ code }) => code)).toEqual([0, 0, 0]);
      expect(await names("Geography")).toEqual(["Norway", "San Marino"]);
      expect(readFileSync(join(folder, "summary"), "utf8")).toBe("2 cards are due\n");

      commit({ "cards/Norway.md": "Norway, changed" });
      commit({ "cards/Sweden.md": "Sweden" });
      expect(job(second).map(({ code }) => code)).toEqual([0, 0, 0]);
      expect(await names("Geography")).toEqual(["Norway", "San Marino", "Sweden"]);
    });

    test("fails in each step where the service is unavailable", () => {
      const { job, commit } = repository();
      const before = commit({ "README.md": "cards" });
      commit({ "cards/Peru.md": "Peru" });
      const away = { DECKHAND_BASE_URL: "http://127.0.0.1:9", DECKHAND_RETRIES: "0" };
      expect(job(before, away).map(({ code }) => code)).toEqual([1, 8, 8]);
    });
  });

  test("for GitLab archives what is there, and nothing where nothing is", async () => {
    const { script, variables } = yaml("flashcards");
    expect(Object.keys(variables)).toEqual(["DECKHAND_BASE_URL", "DECKHAND_HOME"]);
    const lines = ["set -eo pipefail", ...withoutInstalling(script)].join("\n");
    const own = { DECKHAND_HOME: join(work, "gitlab") };
    expect(bash(lines, own)).toEqual({ code: 0, stdout: "", stderr: "" });
    const id = (await home.ok(["add", "--deck", "Drafts", "front", "back"])).trim();
    expect(bash(lines, own)).toEqual({ code: 0, stdout: `${id}\n`, stderr: "" });
    expect(await home.ok(["cards", "get", id, "--jq", '.["archived?"]'])).toBe("true\n");
  });

  test("for exit codes distinguishes a deleted card from an unavailable service", () => {
    const [text = ""] = /(?<=```sh\n)[^`]+/.exec(page) ?? [];
    const lines = `set -e\nid=nosuch\n${text}`;
    expect(bash(lines)).toMatchObject({ code: 0, stdout: "the card was deleted: nothing to do\n" });
    const away = { DECKHAND_BASE_URL: "http://127.0.0.1:9", DECKHAND_RETRIES: "0" };
    expect(bash(lines, away)).toMatchObject({
      code: 75,
      stdout: "the service is unavailable: try again later\n",
    });
    expect(bash(lines, { DECKHAND_API_KEY: "" })).toMatchObject({ code: 3, stdout: "" });
  });

  const names = async (deck: string) =>
    (await home.ok(["cards", "list", "--deck", deck, "--columns", "name"])).trimEnd().split("\n").sort();

  function bash(script: string, env: NodeJS.ProcessEnv = {}, cwd = work) {
    const { status, stdout, stderr } = spawnSync("bash", ["-c", script], {
      cwd,
      encoding: "utf8",
      env: {
        PATH: `${join(work, "bin")}:${process.env["PATH"]}`,
        HOME: join(work, "home"),
        CI: "true",
        DECKHAND_BASE_URL: served.url,
        DECKHAND_API_KEY: served.key,
        ...env,
      },
    });
    return { code: status, stdout, stderr };
  }

  /** A repository of its own, and the job of the recipe in it. */
  function repository() {
    const folder = mkdtempSync(join(work, "repository-"));
    const git = (...args: string[]) => {
      const who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
      const { status, stdout, stderr } = spawnSync("git", [...who, ...args], {
        cwd: folder,
        encoding: "utf8",
      });
      if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
      return stdout.trim();
    };
    git("init", "-q");
    const { env, steps } = yaml("name").jobs.publish;
    expect(Object.keys(env)).toEqual(["DECKHAND_BASE_URL", "DECKHAND_API_KEY"]);
    return {
      folder,
      commit(files: Readonly<Record<string, string>>): string {
        for (const [path, text] of Object.entries(files)) {
          mkdirSync(join(folder, path, ".."), { recursive: true });
          writeFileSync(join(folder, path), text);
        }
        git("add", ".");
        git("commit", "-qm", "cards");
        return git("rev-parse", "HEAD");
      },
      /** Every step, whatever became of those before it. */
      job(before: string, more: NodeJS.ProcessEnv = {}) {
        const given = { RUNNER_TEMP: work, GITHUB_STEP_SUMMARY: join(folder, "summary"), ...more };
        return withoutInstalling(steps.flatMap(({ run }) => run ?? [])).map((run) =>
          bash(`set -e\n${run.replace(/\$\{\{ github.event.before \}\}/, before)}`, given, folder),
        );
      },
    };
  }
});

interface Recipe {
  readonly jobs: {
    readonly publish: { readonly env: object; readonly steps: readonly { readonly run?: string }[] };
  };
  readonly variables: object;
  readonly script: readonly string[];
}

/** The recipe that begins with this key, or what stands below it where that is all. */
function yaml(first: string): Recipe {
  const [text = ""] = new RegExp(`(?<=\`\`\`yaml\\n)${first}:[^\`]+`).exec(page) ?? [];
  const recipe = parse(text);
  return recipe[first]?.script === undefined ? recipe : recipe[first];
}

const withoutInstalling = (lines: readonly string[]) =>
  lines.filter((line) => !line.startsWith("npm install"));
