import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type Cli, cli, program, serve } from "../../support/cli.ts";
import { openPty, type Pty } from "../../support/pty.ts";
import { deckhand } from "../../support/world.ts";

/** The completion scripts in the shells they are for, on a real pseudo-terminal: what Tab makes of a line. */

interface Shell {
  readonly name: string;
  /** Where the same shell is set up in another way. */
  readonly kind?: string;
  readonly args: readonly string[];
  /** Typed first: makes the shell quiet and loads the script. */
  readonly setup: string;
  /** Settings that users may have, and that a script must not stumble over. */
  readonly odd?: string;
}

const folder = resolve("completions");

/** Whatever means something to a shell. */
const hostile = 'W: it\'s = "$(touch made)" `touch made` \\ a!b;c@d&e{f,g}*';
const shells: readonly Shell[] = [
  {
    name: "bash",
    args: ["--norc", "--noprofile"],
    setup: `bind 'set bell-style none'; bind 'set page-completions off'; source ${folder}/deckhand.bash`,
    odd: "set -u -f; IFS=e; shopt -s nullglob failglob nocasematch; COMP_WORDBREAKS=' '",
  },
  {
    name: "zsh",
    args: ["-f"],
    setup: `fpath=(${folder} $fpath); autoload -Uz compinit; compinit -u -D; setopt nobeep`,
    odd: "setopt no_unset ksh_arrays sh_word_split glob_subst null_glob; IFS=e",
  },
  {
    name: "zsh",
    kind: "sourced",
    args: ["-f"],
    setup: `autoload -Uz compinit; compinit -u -D; setopt nobeep; source ${folder}/_deckhand`,
  },
  { name: "fish", args: ["--no-config"], setup: `source ${folder}/deckhand.fish` },
];

let home: Cli;

beforeAll(async () => {
  home = cli({ DECKHAND_PROFILE: "local" });
  const here = await deckhand({}, home.home);
  for (const name of ["Geography", "Ünïcode 日本", hostile, "Mislaid"])
    await here.ok(["decks", "create", name]);
  await here.ok(["decks", "create", "The old world", "--parent", "Geography"]);
  await here.ok(["decks", "create", "--", "-dash"]);
  await here.ok(["decks", "trash", "Mislaid"]);
  await here.ok(["decks", "list", "--tree"]);
  const served = await serve(home, ["--data", join(home.home, "served")]);
  const login = ["auth", "login", "--profile", "work", "--base-url", served.url, "--key-stdin"];
  await here.ok(login, { input: served.key });
  await here.ok(["decks", "create", "Gardening", "--profile", "work"]);
  await here.ok(["decks", "list", "--tree", "--profile", "work"]);
  await served.stop();
  writeFileSync(join(home.home, "my file.csv"), "");
  mkdirSync(join(home.home, "bin"));
  symlinkSync(program, join(home.home, "bin", "deckhand"));
});
afterAll(() => home.remove());

/** What is typed before Tab, and what the screen then shows. A script that is loaded in another way is tried with a few. */
const lines: readonly (readonly [title: string, typed: string, expected: string | RegExp])[] = [
  ["completes a noun", "deckhand templ", "deckhand templates"],
  ["completes a verb", "deckhand cards unar", "deckhand cards unarchive"],
  ["completes an option", "deckhand cards list --bookm", "deckhand cards list --bookmark"],
  [
    "completes a value",
    "deckhand decks create x --cards-view gr",
    "deckhand decks create x --cards-view grid",
  ],
  ["completes a deck's name", "deckhand cards list --deck Geo", "deckhand cards list --deck Geography"],
  ["completes a value behind =", "deckhand decks create x --cards-view=gr", "--cards-view=grid"],
  ["completes a value in the word of its option", "deckhand due -dGeogr", "deckhand due -dGeography"],
  ["looks past options", "deckhand -q --profile local cards unar", "local cards unarchive"],
  ["looks past options between the words", "deckhand cards -o json unar", "-o json unarchive"],
  ["knows the other names of commands", "deckhand deck ls --bookm", "deckhand deck ls --bookmark"],
  ["completes a command of help", "deckhand help cards unar", "deckhand help cards unarchive"],
  ["completes a setting", "deckhand config get review.new-p", "deckhand config get review.new-per-day"],
  ["completes a setting's value", "deckhand config set -q codec tr", "config set -q codec transit"],
  ["completes a deck for a setting", "deckhand config set deck Geo", "config set deck Geography"],
  ["completes a method", "deckhand api DEL", "deckhand api DELETE"],
  ["completes a file", "deckhand import my", "deckhand import my\\ file.csv"],
  ["completes a file in quotes", 'deckhand import "my', 'deckhand import "my file.csv"'],
  ["completes a name that looks like an option", "deckhand due /-", "deckhand due /-dash"],
  [
    "completes in the middle of a line",
    `deckhand templ list${"\u001b[D".repeat(5)}`,
    /deckhand templates {1,2}list/,
  ],
  [
    "completes a name that is not ASCII",
    "deckhand due Ün",
    /deckhand due Ünïcode\\? 日本|deckhand due 'Ünïcode 日本'/,
  ],
];

describe.each(shells)("in $name", (shell) => {
  const there = spawnSync(shell.name, ["--version"]).status === 0;
  if (!there) console.warn(`${shell.name} is not installed: its completions are not tried`);
  /** One shell for all lines that leave it as it was. */
  let shared: Pty | undefined;

  afterAll(() => shared?.close());

  test.skipIf(!there)("completes the names of the account that the line names", async () => {
    const terminal = await emptyLine();
    for (const line of [
      "deckhand cards list --profile work --deck",
      "deckhand --profile=work cards list --deck",
    ]) {
      terminal.press(`${line} G\t`);
      await terminal.until(`${line} Gardening`);
      terminal.press("\u0015");
    }
  });

  test.skipIf(!there).each(shell.kind === undefined ? lines : lines.slice(0, 3))(
    "%s",
    async (_, typed, expected) => {
      const terminal = await emptyLine();
      terminal.press(`${typed}\t`);
      await terminal.until((screen) =>
        typeof expected === "string" ? screen.includes(expected) : expected.test(screen),
      );
    },
  );

  test.skipIf(!there)("quotes a path with spaces so that the command gets it whole", async () => {
    const terminal = await emptyLine();
    terminal.press("deckhand decks get Geography/The\t");
    await terminal.until((screen) => /The.+old.+world/.test(screen));
    terminal.press(" --columns name -o tsv\r");
    await terminal.until(/^The old world$/m);
  });

  test.skipIf(!there).each(["", '"', "'"])(
    "quotes a name with everything that shells know behind %j so that the command gets it whole",
    async (quote) => {
      const terminal = await emptyLine();
      terminal.press(`deckhand decks get ${quote}W\t`);
      await terminal.until(/touch.+touch.+c@?/);
      terminal.press(" --columns name -o json\r");
      await terminal.until((screen) => screen.includes(JSON.stringify(hostile)));
      expect(existsSync(join(home.home, "made"))).toBe(false);
    },
  );

  test.skipIf(!there || shell.odd === undefined)("works with unusual settings of the shell", async () => {
    const terminal = await openForTest();
    terminal.press(`${shell.odd}; echo se""t\r`);
    await terminal.until(/^set/m);
    for (const [typed, expected] of [
      ["deckhand templ", "deckhand templates"],
      ["deckhand deck ls --bookm", "deckhand deck ls --bookmark"],
      ["deckhand decks create x --cards-view=gr", "--cards-view=grid"],
      ["deckhand decks get Geography/The", /Geography\/The\\ old\\ world/],
    ] as const) {
      terminal.press(`${typed}\t`);
      await terminal.until((screen) =>
        typeof expected === "string" ? screen.includes(expected) : expected.test(screen),
      );
      terminal.press("\u0015");
    }
  });

  test.skipIf(!there)("offers --version for the program only", async () => {
    const terminal = await emptyLine();
    terminal.press("deckhand --vers\t");
    await terminal.until("deckhand --version");
    terminal.press("\u0015deckhand decks list --vers\tmark");
    await terminal.until("decks list --versmark");
  });

  test.skipIf(!there)("sends no request", async () => {
    const terminal = await openForTest({
      DECKHAND_PROFILE: "",
      DECKHAND_BASE_URL: "http://127.0.0.1:9",
      DECKHAND_API_KEY: "x".repeat(20),
    });
    terminal.press("deckhand cards list --deck Geo\tmark");
    const screen = await terminal.until("mark");
    expect(screen).not.toContain("refused");
  });

  /** The shared shell on an empty screen: to the end of the line, delete the line, clear. */
  async function emptyLine(): Promise<Pty> {
    shared ??= await open();
    shared.press("\u0005\u0015\u000c");
    await shared.until((screen) => !screen.includes("deckhand"));
    return shared;
  }

  async function openForTest(env: Record<string, string> = {}): Promise<Pty> {
    const terminal = await open(env);
    onTestFinished(() => terminal.close());
    return terminal;
  }

  async function open(env: Record<string, string> = {}): Promise<Pty> {
    const terminal = openPty({
      command: shell.name,
      args: shell.args,
      cwd: home.home,
      columns: 160,
      env: {
        PATH: `${join(home.home, "bin")}:${process.env["PATH"]}`,
        HOME: home.home,
        DECKHAND_HOME: home.home,
        DECKHAND_PROFILE: "local",
        LC_ALL: "C.UTF-8",
        TERM: "xterm",
        ...env,
      },
    });
    terminal.press(`${shell.setup}; echo rea""dy\r`);
    await terminal.until(/^ready/m);
    return terminal;
  }
});
