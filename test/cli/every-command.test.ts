import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import stringWidth from "fast-string-width";
import { describe, expect, test } from "vitest";
import { completions } from "../../src/cli/completion/complete.ts";
import { isHidden, textAfter } from "../../src/cli/help/text.ts";
import { wholeProgram } from "../../src/cli/program.ts";
import { commandTree } from "../../src/cli/tree.ts";
import { type Deckhand, deckhand, type Ran, type WorldOptions } from "../support/world.ts";

/** What holds for every command of the tree, wherever its output goes (docs/design/cli.md, Output and Exit codes). */

interface Example {
  readonly args: readonly string[];
  /** 0 if absent. */
  readonly code?: number;
  /** Its standard output is for programs or holds paths: it is not fitted to the terminal. */
  readonly data?: true;
  /** It draws on a terminal, or asks there: other tests show that. */
  readonly pipeOnly?: true;
  readonly input?: string;
}

interface Named {
  readonly card: string;
  readonly other: string;
  readonly folder: string;
}

/** A session that uses each command, in an order in which all of them have something to do. */
const session = ({ card, other, folder }: Named): readonly Example[] => [
  { args: ["version"] },
  { args: ["doctor"], data: true },
  { args: ["completion", "bash"], data: true },
  { args: ["config", "list"] },
  { args: ["config", "set", "review.new-per-day", "12"] },
  { args: ["config", "get", "review.new-per-day"] },
  { args: ["config", "unset", "review.new-per-day"] },
  { args: ["config", "path"], data: true },
  { args: ["auth", "list"] },
  { args: ["auth", "status"], data: true },
  { args: ["auth", "use", "local"] },
  {
    args: ["auth", "login", "--profile", "x", "--base-url", "http://192.0.2.1", "--key-stdin"],
    code: 3,
    input: "k".repeat(30),
  },
  { args: ["auth", "logout"], code: 2 },
  { args: ["decks", "list"] },
  { args: ["decks", "list", "--tree", "-o", "table"] },
  { args: ["decks", "get", "Geography"] },
  { args: ["decks", "get", "Geography", "Europe"] },
  { args: ["decks", "create", "Drafts", "--sort", "3"] },
  { args: ["decks", "update", "Drafts", "--name", "Ideas"] },
  { args: ["decks", "archive", "Ideas"] },
  { args: ["decks", "unarchive", "Ideas"] },
  { args: ["decks", "trash", "Ideas"] },
  { args: ["trash", "list"] },
  { args: ["decks", "restore", "Ideas"] },
  { args: ["decks", "delete", "Ideas", "--yes"] },
  { args: ["templates", "create", "Capital", "--content", "<< Land >>", "--field", "land=Land"] },
  { args: ["templates", "list"] },
  { args: ["templates", "get", "Capital"] },
  { args: ["templates", "update", "Capital", "--name", "Capitals"] },
  { args: ["templates", "delete", "Capitals", "--yes"] },
  { args: ["add", "Capital of Norway, the northernmost country of Europe?", "Oslo", "--deck", "Europe"] },
  { args: ["cards", "create", "--deck", "Europe", "--content", "One\n---\nTwo #numbers", "--tag", "first"] },
  { args: ["cards", "list"] },
  { args: ["cards", "list", "--deck", "Geography", "--no-recursive", "--count"] },
  { args: ["cards", "list", "--columns", "id,name,deck"] },
  { args: ["cards", "get", card] },
  { args: ["cards", "get", card, "--raw", "-o"], code: 2 },
  { args: ["cards", "search", "capital OR deck:Europe"] },
  { args: ["cards", "update", card, "--add-tag", "europe"] },
  { args: ["cards", "edit", card], pipeOnly: true, code: 2 },
  { args: ["cards", "move", card, "--deck", "Geography"] },
  { args: ["cards", "archive", card, other] },
  { args: ["cards", "unarchive", "-"], input: `${card}\n${other}\n` },
  { args: ["cards", "trash", card] },
  { args: ["cards", "restore", card] },
  { args: ["attach", "add", card, join(folder, "a map of the north.png")] },
  { args: ["attach", "list", card] },
  { args: ["attach", "get", card, "a map of the north.png", "--output-file", join(folder, "got.png")] },
  { args: ["attach", "remove", card, "a map of the north.png"] },
  { args: ["tags", "list"] },
  { args: ["tags", "rename", "europe", "eu"] },
  { args: ["tags", "remove", "eu"] },
  { args: ["due", "list"] },
  { args: ["due", "list", "Geography", "--date", "tomorrow", "--count"] },
  { args: ["due", "review"], pipeOnly: true, code: 2 },
  { args: ["review"], pipeOnly: true, code: 2 },
  { args: ["due", "answer", other, "remembered"] },
  { args: ["due", "set", other, "+30d"] },
  { args: ["due", "forget", other] },
  { args: ["due", "undo"] },
  { args: ["due", "log"] },
  { args: ["due", "sync"] },
  { args: ["stats"] },
  { args: ["stats", "--report", join(folder, "stats.html")] },
  { args: ["schedule", "show"] },
  { args: ["schedule", "apply", "--yes"] },
  { args: ["schedule", "forecast"] },
  { args: ["schedule", "reset"] },
  { args: ["schedule", "train"], code: 5 },
  { args: ["demo"], pipeOnly: true },
  { args: ["api", "GET", "/decks", "--query", "limit=1"], data: true },
  { args: ["export", join(folder, "all.ndjson")] },
  { args: ["import", join(folder, "words.csv"), "--deck", "Europe", "--yes"] },
  { args: ["import", join(folder, "words.csv"), "--deck", "Europe"] },
  { args: ["import", join(folder, "more.csv"), "--deck", "Europe"], code: 9, pipeOnly: true },
  { args: ["import", "list"] },
  { args: ["import", "undo", join(folder, "words.csv"), "--yes"] },
  { args: ["import", join(folder, "words.md"), "--follow"] },
  { args: ["notes", "list"] },
  { args: ["notes", "forget", join(folder, "words.md")] },
  { args: ["sync", join(folder, "synced"), "--yes"] },
  { args: ["sync", "status", join(folder, "synced")] },
  { args: ["serve", "--port", "0", "--dry-run"], code: 2 },
  { args: ["serve", "key", "list"] },
  { args: ["serve", "key", "add", "anna"], data: true },
  { args: ["serve", "account", "set", "anna", "--time-zone", "Europe/Oslo"] },
  { args: ["serve", "key", "remove", "anna"] },
  { args: ["cards", "trash", card] },
  { args: ["trash", "list"] },
  { args: ["trash", "empty", "--yes"] },
  { args: ["cards", "delete", other, "--yes"] },
  // What is not there.
  { args: ["cards", "get", "nosuch"], code: 4 },
  { args: ["cards", "archive", "nosuch", "nosuch2"], code: 4 },
  { args: ["decks", "get", "Geogrphy"], code: 4 },
  { args: ["cards", "create", "--deck", "Atlantis", "--content", "x"], code: 4 },
  { args: ["cards", "list", "--columns", "nosuch"], code: 2 },
  { args: ["cards", "delete", "nosuch"], code: 2, pipeOnly: true },
  { args: ["import", join(folder, "nosuch.csv")], code: 2 },
];

/** Commands that other tests try: they need more than a local collection. */
const elsewhere = new Set(["mcp", "check", "backup", "serve migrate", "serve copy"]);

interface Mode {
  readonly name: string;
  readonly options: WorldOptions;
  readonly more?: readonly string[];
}

const modes: readonly Mode[] = [
  { name: "on a terminal of 80 columns", options: { terminal: true, columns: 80 } },
  { name: "on a terminal of 40 columns", options: { terminal: true, columns: 40 } },
  { name: "on a terminal with NO_COLOR", options: { terminal: true, env: { NO_COLOR: "1" } } },
  { name: "in a pipe", options: {} },
  { name: "in a CI job", options: { env: { CI: "1" } } },
  { name: "with -o json", options: {}, more: ["-o", "json"] },
  { name: "with -o ndjson", options: {}, more: ["-o", "ndjson"] },
];

const escapeCharacter = "\u001b";

describe.each(modes)("every command $name", ({ options, more = [] }) => {
  test("keeps the rules of its output", { timeout: 60_000 }, async () => {
    const d = await deckhand();
    const named = await prepare(d);
    const broken: string[] = [];
    for (const { args, code = 0, data, pipeOnly, input } of session(named)) {
      if (pipeOnly && options.terminal) continue;
      const asked = [...args, ...(args.includes("-o") ? [] : more)];
      const ran = await d.run(asked, { ...options, ...(input === undefined ? {} : { input }) });
      const complain = (what: string) =>
        broken.push(`${what}: deckhand ${asked.join(" ")}\n${ran.stdout}${ran.stderr}`);
      if (ran.code !== code) complain(`exit code ${ran.code} instead of ${code}`);
      for (const rule of rulesFor(options, asked)) {
        const complaint = rule(ran, data === true);
        if (complaint !== undefined) complain(complaint);
      }
    }
    expect(broken).toEqual([]);
  });
});

type Rule = (ran: Ran, data: boolean) => string | undefined;

function rulesFor({ terminal, columns, env }: WorldOptions, asked: readonly string[]): readonly Rule[] {
  const rules: Rule[] = [stderrIsPlain];
  if (!terminal)
    rules.push(({ stdout, stderr }) => ((stdout + stderr).includes(escapeCharacter) ? "escapes" : undefined));
  if (env?.["NO_COLOR"]) rules.push(noColour);
  if (columns !== undefined) rules.push(fits(columns));
  if (asked.includes("json") || asked.includes("ndjson")) rules.push(jsonOutput(asked.includes("ndjson")));
  return rules;
}

const stderrIsPlain: Rule = ({ stderr }) =>
  /\bat .*\.[cm]?[jt]s:\d+/.test(stderr) ? "a stack trace" : undefined;

const noColour: Rule = ({ stdout, stderr }) =>
  (stdout + stderr).includes(`${escapeCharacter}[`) && /\u001b\[[\d;]*m/.test(stdout + stderr)
    ? "colours"
    : undefined;

/** Lines fit, but for words that cannot be broken: paths, addresses, ids. */
function fits(columns: number): Rule {
  return ({ stdout, stderr }, data) => {
    const text = data ? stderr : stdout + stderr;
    const plain = text.replaceAll(/\u001b\[[\d;?]*[a-zA-Z]|\u001b\][^\u0007]*\u0007/g, "");
    const wide = plain
      .split(/[\r\n]/)
      .find((line) => stringWidth(line) > columns && /\S\s+\S/.test(line.slice(0, columns)));
    return wide === undefined ? undefined : `wider than ${columns} (${stringWidth(wide)}): ${wide}`;
  };
}

function jsonOutput(lines: boolean): Rule {
  return ({ code, stdout, stderr }, data) => {
    if (!data && stdout !== "") {
      const parts = lines ? stdout.trimEnd().split("\n") : [stdout];
      for (const part of parts) if (!isJson(part)) return "standard output is not JSON";
    }
    if (code === 0) return undefined;
    // What comes before it are notes: a plan, for example.
    const last = stderr.trimEnd().split("\n").at(-1) ?? "";
    if (!isJson(last)) return "the error is not JSON";
    const { error } = JSON.parse(last) as { error?: Record<string, unknown> };
    const whole = typeof error?.["code"] === "string" && typeof error["message"] === "string";
    return whole ? undefined : "no code or message";
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A collection, and files to work with. */
async function prepare(d: Deckhand): Promise<Named> {
  const folder = join(d.home, "files");
  mkdirSync(join(folder, "synced"), { recursive: true });
  writeFileSync(join(folder, "a map of the north.png"), "no real picture");
  writeFileSync(join(folder, "words.md"), "Q: hola\nA: hello\n");
  writeFileSync(join(folder, "words.csv"), "front,back\nhola,hello\nadiós,goodbye\n");
  writeFileSync(join(folder, "more.csv"), "front,back\nhola,hello!\nsí,yes\n");
  await d.ok(["decks", "create", "Geography"]);
  await d.ok(["decks", "create", "Europe", "--parent", "Geography"]);
  const add = async (front: string) =>
    (await d.ok(["add", front, "x", "--deck", "Europe", "--tag", "t"])).trim();
  return {
    card: await add("What is the name of the river that flows through Vienna?"),
    other: await add("日本語の首都は何ですか、長い質問"),
    folder,
  };
}

const leaves = (command: Command): Command[] => {
  const verbs = command.commands;
  return verbs.length === 0 ? [command] : verbs.flatMap(leaves);
};

/** `cards list`; a verb that the noun alone means has the name of the noun. */
const pathOf = (command: Command): string[] =>
  command.parent === null ? [] : [...pathOf(command.parent), ...(isHidden(command) ? [] : [command.name()])];

const commands = leaves(await wholeProgram()).map(pathOf);

test("the session above uses every command of the tree", async () => {
  const used = session({ card: "c", other: "d", folder: "f" }).map(({ args }) => args.join(" "));
  const missing = commands
    .map((path) => path.join(" "))
    .filter((path) => !elsewhere.has(path) && !elsewhere.has(path.split(" ")[0] ?? ""))
    .filter((path) => !used.some((args) => args === path || args.startsWith(`${path} `)));
  expect(missing).toEqual([]);
});

describe("every command", () => {
  test("has help that fits a narrow terminal, with its usage as it is typed and at least one example", async () => {
    const d = await deckhand();
    const broken: string[] = [];
    for (const command of leaves(await wholeProgram())) {
      const path = pathOf(command);
      const name = path.join(" ");
      const text = await d.ok([...path, "--help", "--no-color"], { terminal: true, columns: 40 });
      if (!new RegExp(`^Usage: deckhand ${name}[ \\n]`).test(text))
        broken.push(`usage of ${name}: ${text.split("\n")[0]}`);
      const [, examples = ""] = `\n${textAfter(command)}`.split("\nExamples:\n");
      if (!examples.includes("deckhand ")) broken.push(`no example: ${name}`);
      if (!text.includes(`Examples:\n${examples}\n`)) broken.push(`the examples of ${name} were broken`);
      for (const line of text.replace(examples, "").split("\n"))
        if (line.length > 40 && /\S\s+\S/.test(line.slice(0, 40))) broken.push(`wide in ${name}: ${line}`);
    }
    expect(broken).toEqual([]);
  });

  test("reports an unknown option as usage, with a hint, also in JSON", async () => {
    const d = await deckhand();
    for (const path of commands) {
      const plain = await d.run([...path, "--nosuch"]);
      expect(plain, path.join(" ")).toMatchObject({ code: 2, stdout: "" });
      expect(plain.stderr, path.join(" ")).toMatch(/^deckhand: unknown option "--nosuch"\n.+\n$/);
      const json = await d.run([...path, "--nosuch", "-o", "json"]);
      expect(JSON.parse(json.stderr), path.join(" ")).toMatchObject({
        error: { code: "usage", hint: expect.any(String) },
      });
    }
  });

  test("is completed, with each of its options and with the values that these take", async () => {
    const words = async (line: readonly string[]) => {
      const offer = await completions(line);
      return offer === "files" ? [] : offer.map(({ word }) => word);
    };
    const missing: string[] = [];
    for (const command of leaves(await wholeProgram())) {
      const path = pathOf(command);
      const name = path.at(-1) ?? "";
      if (!(await words([...path.slice(0, -1), name.slice(0, 2)])).includes(name))
        missing.push(path.join(" "));
      const options = await words([...path, "--"]);
      for (const { long, argChoices, hidden } of command.options) {
        if (hidden || long == null) continue;
        if (!options.includes(long)) missing.push(`${path.join(" ")} ${long}`);
        if (argChoices === undefined) continue;
        const values = await words([...path, long, ""]);
        for (const value of argChoices)
          if (!values.includes(value)) missing.push(`${path.join(" ")} ${long} ${value}`);
      }
      const [argument] = command.registeredArguments;
      const values = argument?.argChoices === undefined ? [] : await words([...path, ""]);
      for (const value of argument?.argChoices ?? [])
        if (!values.includes(value)) missing.push(`${path.join(" ")} ${value}`);
    }
    expect(missing).toEqual([]);
  });

  test("is refused in a CI job without an account, but for those that need none", async () => {
    const d = await deckhand({ DECKHAND_PROFILE: "", CI: "true" });
    const without: Ran[] = [];
    for (const args of [
      ["cards", "list"],
      ["due", "--count"],
      ["decks", "create", "x"],
      ["stats"],
      ["tags", "list"],
    ])
      without.push(await d.run([...args, "-o", "json"]));
    for (const { code, stdout, stderr } of without) {
      expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
      expect(JSON.parse(stderr)).toMatchObject({
        error: { code: "not-configured", hint: expect.any(String) },
      });
    }
    for (const args of [["version"], ["config", "list"], ["auth", "list"], ["completion", "zsh"]])
      expect((await d.run(args)).code, args.join(" ")).toBe(0);
  });

  test("is in the tree with a group, and a sentence that is not longer than a line", () => {
    for (const [name, { about, verbs = {} }] of Object.entries(commandTree))
      for (const [what, sentence] of [
        [name, about],
        ...Object.entries(verbs).map(([verb, each]) => [verb, each.about]),
      ])
        expect(String(sentence).length, what).toBeLessThanOrEqual(62);
  });
});
