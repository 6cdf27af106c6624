import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commandTree } from "../../src/cli/tree.ts";
import { type Cli, cli, program, type Served, serve } from "../support/cli.ts";
import { openPty, type Pty } from "../support/pty.ts";
import { type Deckhand, deckhand, type Ran } from "../support/world.ts";

/**
 * Every example of every help page runs, each on a collection of its own: in this process, or typed into a shell on a
 * terminal where it asks something, draws, or needs more of a shell than words, pipes and files.
 */

const card = "x7Rw2kQp";

/** Runs until it is stopped, or takes more of a shell than words, pipes and files. */
const needsShell =
  /^deckhand serve(?! key| account)|^deckhand demo$|--watch|--browser|cards edit|EDITOR=|[$&]|\|\||\b(?:date|printf|wc)\b/;

/** Needs a PostgreSQL server, or asks before a collection is replaced: other tests do that. */
const triedElsewhere = /--database|restore .*--replace/;

/** What a command says that can only run on a terminal; it has changed nothing. */
const needsTerminal = /without a terminal|needs a terminal|is not followed yet/;

/** Examples that end in another way here: there is no history to learn from, and most of the cards due are new. */
const otherEnds = { "schedule train": 5, "| deckhand due set - +7d": 9 };

let real = "";

describe("the examples of the help pages", () => {
  const base = mkdtempSync(join(tmpdir(), "deckhand-examples-"));
  let home: Cli;
  let served: Served;

  beforeAll(async () => {
    home = cli({ DECKHAND_PROFILE: "local" });
    real = await fillCollection(await deckhand({}, home.home));
    served = await serve(home, ["--data", join(base, "served")]);
    const login = ["auth", "login", "--profile", "work", "--base-url", served.url, "--key-stdin"];
    await home.ok(login, { input: served.key });
    for (const data of [[], ["--data", "cards"]]) await home.ok(["serve", "key", "add", "anna", ...data]);
    mkdirSync(join(base, "bin"));
    symlinkSync(program, join(base, "bin", "deckhand"));
    writeFileSync(join(base, "bin", "code"), '#!/bin/sh\nfor file; do :; done\necho "and more" >> "$file"\n');
    chmodSync(join(base, "bin", "code"), 0o755);
  }, 60_000);

  afterAll(async () => {
    await served.stop();
    home.remove();
    rmSync(base, { recursive: true, force: true, maxRetries: 10 });
  });

  test("are there for every command, two of each at least", async () => {
    const few: string[] = [];
    for (const name of leaves()) if ((await examplesOf(name.split(" "))).length < 2) few.push(name);
    expect(few).toEqual([]);
  });

  test.each(leaves())(
    "of %s work as they stand",
    async (name) => {
      for (const example of await examplesOf(name.split(" ")))
        if (!triedElsewhere.test(example)) await follow(example);
    },
    120_000,
  );

  /** Runs an example in a copy of the collection, beside the files that examples name. */
  async function follow(example: string): Promise<void> {
    const own = mkdtempSync(join(base, "run-"));
    cpSync(home.home, own, { recursive: true });
    await writeFiles(example, own);
    const line = example
      .replaceAll(card, real)
      .replaceAll("https://flashcards.example.com/api", served.url)
      .replaceAll("/mnt/backup", own);
    const env = {
      HOME: own,
      DECKHAND_HOME: own,
      DECKHAND_PROFILE: /auth (use|logout|login)/.test(example) ? "" : "local",
    };
    let ran = needsShell.test(line) ? undefined : await runHere(line, own, env);
    if (ran === undefined || needsTerminal.test(ran.stderr)) ran = await type(line, own, env);
    const expected = Object.entries(otherEnds).find(([words]) => example.includes(words))?.[1] ?? 0;
    expect(ran.code, `${example}\n${ran.stdout}\n${ran.stderr}`).toBe(expected);
    rmSync(own, { recursive: true, force: true, maxRetries: 10 });
  }

  async function writeFiles(example: string, folder: string): Promise<void> {
    // A file that is fetched must not be there.
    for (const file of example.includes("attach get") ? [] : ["card.md", "map.png", "flag.svg"])
      writeFileSync(join(folder, file), `the file ${file}\n`);
    writeFileSync(join(folder, "key.txt"), `${served.key}\n`);
    writeFileSync(
      join(folder, "template.yaml"),
      'name: From a file\ncontent: "<< Word >>"\nfields:\n  name:\n    id: name\n    name: Word\n',
    );
    writeImports(folder);
    const here = await deckhand({}, folder);
    if (/(?:verify|restore) \S+\.tar/.test(example)) await here.ok(["backup", join(folder, "cards.tar")]);
    // It restores into an empty place, as on a new machine.
    if (/restore \S+\.tar/.test(example))
      for (const data of ["data", "cards"]) rmSync(join(folder, data), { recursive: true, force: true });
    if (/templates (?:update|delete)/.test(example)) {
      writeFileSync(join(folder, "word.md"), "<< Word >>\n---\n<< Meaning >>\n");
      await here.ok(["templates", "create", "Word", "--content", "<< Word >>", "--field", "name=Word"]);
    }
    if (/notes forget/.test(example)) await here.ok(["import", join(folder, "notes"), "--follow"]);
    if (/due (?:set|forget|undo)/.test(example)) await here.ok(["due", "answer", real, "remembered"]);
    if (/import (?:undo|list)/.test(example))
      await here.ok(["import", join(folder, "spanish.csv"), "--deck", "Drafts"]);
  }

  /** Runs a line in this process. */
  async function runHere(line: string, folder: string, env: Record<string, string>): Promise<Ran> {
    const { commands, from, to } = parseLine(line.replace(/(^| )~/g, `$1${folder}`));
    const { run } = await deckhand(env);
    const before = process.cwd();
    process.chdir(folder);
    try {
      let ran: Ran = { code: 0, stdout: from === undefined ? "" : readFileSync(from, "utf8"), stderr: "" };
      for (const [name, ...args] of commands) {
        expect(name, line).toBe("deckhand");
        ran = await run(args, { input: ran.stdout });
        if (ran.code !== 0) break;
      }
      if (to !== undefined) writeFileSync(to, ran.stdout);
      return ran;
    } finally {
      process.chdir(before);
    }
  }

  /** Types a line into a shell and answers what it asks. */
  async function type(line: string, folder: string, env: Record<string, string>): Promise<Ran> {
    const terminal = openPty({
      command: "bash",
      args: ["--norc", "-c", line],
      cwd: folder,
      env: { PATH: `${join(base, "bin")}:${process.env["PATH"]}`, EDITOR: "code", ...env },
    });
    const code = await play(terminal);
    const shown = terminal.text();
    terminal.close();
    return { code, stdout: shown, stderr: "" };
  }

  /** Types what is asked for, each thing once, until the program ends. @returns its exit code */
  async function play(terminal: Pty): Promise<number> {
    const open = new Map<RegExp, string>([
      [/permanently\?|with attachments\?|goes to the trash\./, "y"],
      [
        /Import|Create|Learn|There is no folder|Go on\?|Sync \(|cannot be undone|Delete the (?:deck|profile)/,
        "y",
      ],
      [/Watching|Ctrl-C ends the review/, "\u0003"],
      [/listening on http/, "\u0003"],
      [/base URL/i, `${served.url}\r`],
      [/API key/i, `${served.key}\r`],
      [/space reveal|\? keys/i, "q"],
    ]);
    for (;;) {
      const asked = [...open.keys()].map((text) => terminal.until(text, 60_000).then(() => text));
      for (const each of asked) each.catch(() => {});
      const next = await Promise.race([
        terminal.ended,
        ...asked.map((each) => each.catch(() => terminal.ended)),
      ]);
      // A shell runs its only command in its own place: what ended that by a signal ended the shell.
      if (!(next instanceof RegExp)) return next.signal ? 128 + next.signal : next.code;
      terminal.press(open.get(next) ?? "");
      open.delete(next);
    }
  }

  async function examplesOf(path: readonly string[]): Promise<string[]> {
    const help = await (await deckhand()).ok([...path, "--help"]);
    const [, text = ""] = help.split("\nExamples:\n");
    return joinedLines(text.split(/\n\n(?=Options:|Other commands:|"deckhand )/)[0] ?? "");
  }
});

/** The files that the examples of import and bulk commands name. */
function writeImports(folder: string): void {
  const write = (name: string, text: string) =>
    writeFileSync(join(folder, name), text.replaceAll(card, real));
  write("cards.ndjson", '{"content":"One"}\n{"content":"Two"}\n');
  write("changes.ndjson", `{"id":"${card}","archived?":true}\n`);
  write("decks.ndjson", '{"name":"Made"}\n');
  write("templates.ndjson", '{"name":"Made","content":"x","fields":{}}\n');
  write("spanish.csv", "word,meaning\nsol,sun\n");
  write("capitals.csv", "Country,Capital\nNorway,Oslo\n");
  mkdirSync(join(folder, "notes"));
  write("notes/one.md", "One\n---\nTwo\n");
  write("notes/two.md", "Q: One\nA: Two\n\nQ: Three\nA: Four\n");
  const [packed = ""] = readdirSync("test/fixtures/apkg").filter((name) => name.endsWith(".apkg"));
  cpSync(join("test/fixtures/apkg", packed), join(folder, "collection.apkg"));
}

/** The commands of a line, each as its words, and the files that it reads and writes. */
function parseLine(line: string) {
  const commands: string[][] = [[]];
  const files = new Map<string, string>();
  const words = line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "|") commands.push([]);
    else if (word === "<" || word === ">") files.set(word, words[++at] ?? "");
    else commands.at(-1)?.push(word.replace(/"([^"]*)"|'([^']*)'/g, "$1$2"));
  }
  return { commands, from: files.get("<"), to: files.get(">") };
}

/** Examples may go over several lines: inside of quotes, after a backslash and after a pipe. */
function joinedLines(text: string): string[] {
  const examples: string[] = [];
  let open = "";
  for (const line of text.split("\n")) {
    if (/[\\|]$/.test(open)) open = `${open.replace(/\\$/, "")} ${line.trimStart()}`;
    else open += open === "" ? line.replace(/^ {2}/, "") : `\n${line}`;
    if (/[\\|]$/.test(open)) continue;
    if ((open.match(/"/g) ?? []).length % 2 === 1 || (open.match(/'/g) ?? []).length % 2 === 1) continue;
    if (open.trim() !== "") examples.push(open);
    open = "";
  }
  return examples;
}

/** The words of each command that does something: a noun with a hidden verb is a command by itself. */
function leaves(): string[] {
  return Object.entries(commandTree).flatMap(([noun, { verbs }]) =>
    verbs === undefined
      ? [noun]
      : Object.entries(verbs).map(([verb, { hidden }]) => (hidden ? noun : `${noun} ${verb}`)),
  );
}

/** Decks, a template and cards such as the examples name. @returns the id of the card that they call x7Rw2kQp */
async function fillCollection(home: Deckhand): Promise<string> {
  for (const name of ["Geography", "Drafts", "Languages", "Notes"]) await home.ok(["decks", "create", name]);
  for (const name of ["Europe", "Asia", "Oceania"])
    await home.ok(["decks", "create", name, "--parent", "Geography"]);
  await home.ok(["decks", "create", "Spanish", "--parent", "Languages"]);
  const fields = ["--field", "name=Country", "--field", "capital=Capital"];
  await home.ok([
    "templates",
    "create",
    "Capital",
    "--content",
    "# << Country >>\n---\n<< Capital >>",
    ...fields,
  ]);
  await home.ok(["cards", "create", "--deck", "Drafts", "--front", "Draft?", "--back", "Yes"]);
  for (const tag of ["europe", "capital", "verbs"])
    await home.ok(["cards", "create", "--deck", "Drafts", "--content", `about ${tag}`, "--tag", tag]);
  const id = (
    await home.ok(["cards", "create", "--deck", "Geography/Europe", "--front", "Capital?", "--back", "Oslo"])
  ).trim();
  writeFileSync(join(home.home, "map.png"), "a map");
  writeFileSync(join(home.home, "flag.svg"), "a flag");
  await home.ok(["attach", "add", id, join(home.home, "flag.svg"), join(home.home, "map.png")]);
  for (const file of ["map.png", "flag.svg"]) rmSync(join(home.home, file));
  return id;
}
