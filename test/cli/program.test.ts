import { expect, test } from "vitest";
import { commandTree } from "../../src/cli/tree.ts";
import { deckhand } from "../support/world.ts";

/** What stands before, or in place of, a command. */

test.each([
  [["-q", "cards"]],
  [["--profile", "local", "cards"]],
  [["-qy", "cards"]],
  [["-otable", "cards"]],
  [["cards", "--output=table"]],
])("a noun without a verb prints its help, with or without global options: %j", async (args) => {
  const d = await deckhand();
  expect(await d.run(args)).toEqual({ code: 0, stdout: await d.ok(["cards", "--help"]), stderr: "" });
});

test("short options in one word come before the command, the last with its value in the next word", async () => {
  const d = await deckhand();
  expect(await d.ok(["-qo", "json", "decks", "list"])).toBe("[]\n");
  expect(await d.ok(["decks", "-qo", "json", "list"])).toBe("[]\n");
  expect((await d.run(["-qo", "json", "decks", "nosuch"])).stderr).toMatch(/^\{"error":/);
});

test.each([
  [["cards", "--nosuch"]],
  [["-x", "cards"]],
  [["--nosuch"]],
  [["-q", "-x"]],
  [["--all", "crads"]],
  [["-x", "crads"]],
])("an option that there is not is named: %j", async (args) => {
  const d = await deckhand();
  const option = args.findLast((arg) => arg.startsWith("-"));
  expect(await d.run(args)).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining(`unknown option ${JSON.stringify(option)}`),
  });
});

test("words after -- are no command", async () => {
  const d = await deckhand();
  expect(await d.run(["--", "cards", "list"])).toEqual({
    code: 2,
    stdout: "",
    stderr:
      'deckhand: too many arguments for "cards". Expected 0 arguments but got 1\nsee "deckhand --help"\n',
  });
});

test.each([
  [["constructor"], 'unknown command "constructor"'],
  [["__proto__"], 'unknown command "__proto__"'],
  [["help", "__proto__"], 'unknown command "__proto__"'],
  [["cards", "constructor"], 'unknown command "constructor"'],
  [["cards", "list", "--columns", "constructor"], 'there is no column "constructor"'],
  [["cards", "list", "--columns", "__proto__"], 'there is no column "__proto__"'],
])(
  "a property that all JavaScript objects inherit is an unknown command or column: %j",
  async (args, said) => {
    const { code, stderr } = await (await deckhand()).run(args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(said) });
    expect(stderr).not.toContain("did you mean");
  },
);

test.each([
  [["decks", "list", "--key=SECRET"]],
  [["decks", "list", "--api-key=SECRET=x\ny'"]],
  [["decks", "list", "-k=SECRET"]],
  [["decks", "--key=SECRET"]],
  [["--key=SECRET"]],
  [["--key=SECRET", "decks", "list"]],
  [["--key=SECRET", "dekcs"]],
  [["decks", "list", "--recursive=SECRET"]],
  [["due", "--count=SECRET"]],
])("the value of an unknown option, which may be a key, is in no output: %j", async (args) => {
  const d = await deckhand();
  for (const output of [[], ["-o", "json"], ["--verbose"]]) {
    const { code, stdout, stderr } = await d.run([...args, ...output], { env: { DECKHAND_DEBUG: "1" } });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/option |unknown command /);
    expect(stderr).not.toContain("SECRET");
  }
  const { stderr } = await d.run(args);
  const option = args.find((arg) => arg.includes("SECRET"))?.split("=")[0] ?? "";
  if (!args.includes("dekcs")) expect(stderr).toContain(`option "${option}"`);
});

test("a value for an option without one is reported as that", async () => {
  const { stderr } = await (await deckhand()).run(["due", "--count=3"]);
  expect(stderr).toBe('deckhand: option "--count" takes no value\nsee "deckhand due --help"\n');
});

test.each([
  [["due", "log", "--nosuch"], 'see "deckhand due log --help"'],
  [["cards", "get", "--nosuch"], 'see "deckhand cards get --help"'],
  [
    ["cards", "search", "--nosuch"],
    'put -- before an argument that begins with a dash; see "deckhand cards search --help"',
  ],
])("only commands that take text explain how it may begin with a dash: %j", async (args, hint) => {
  const { code, stderr } = await (await deckhand()).run(args);
  expect([code, stderr.split("\n")[1]]).toEqual([2, hint]);
});

test("text that looks like an option is shown whole, with the way to say it", async () => {
  const d = await deckhand();
  const front = "- a list\n- l'été est long";
  const args = ["add", front, "back", "--deck-id", "x", "--dry-run"];
  expect(await d.run(args)).toEqual({
    code: 2,
    stdout: "",
    stderr:
      'deckhand: unknown option "- a list\\n- l\'été est long"\n' +
      'put -- before an argument that begins with a dash; see "deckhand add --help"\n',
  });
  expect((await d.run(["add", "--deck-id", "x", "--dry-run", "--", front, "back"])).code).toBe(0);
});

test("an argument that is not one of the choices is reported with them", async () => {
  const d = await deckhand();
  expect(await d.run(["completion", "tcsh"])).toEqual({
    code: 2,
    stdout: "",
    stderr:
      'deckhand: "tcsh" is invalid for argument "shell". Allowed choices are bash, zsh, fish, powershell\n' +
      'see "deckhand completion --help"\n',
  });
});

test.each([
  [["--verison"], "--verison", "--version"],
  [["cards", "--hepl"], "--hepl", "--help"],
  [["cards", "--profil=x"], "--profil", "--profile"],
  [["--profle", "work", "cards", "list"], "--profle", "--profile"],
  [["cards", "--outptu", "json", "list"], "--outptu", "--output"],
  [["--outptu=json", "crads"], "--outptu", "--output"],
])(
  "an option with a typo is suggested, also where its value is taken for a command: %j",
  async (...given) => {
    const [args, option, meant] = given;
    const d = await deckhand();
    expect(await d.run(args)).toEqual({
      code: 2,
      stdout: "",
      stderr: `deckhand: unknown option ${JSON.stringify(option)}\ndid you mean ${meant}?\n`,
    });
  },
);

test.each([[["-q", "crads"]], [["crads", "--verison"]], [["--profile", "crads", "crads"]]])(
  "a command with a typo is suggested beside options: %j",
  async (args) => {
    const d = await deckhand();
    expect((await d.run(args)).stderr).toBe(
      'deckhand: unknown command "crads"\ndid you mean "deckhand cards"?\n',
    );
  },
);

test("version prints the version, as an object in JSON", async () => {
  const d = await deckhand();
  const version = (await d.ok(["--version"])).trim();
  expect(await d.ok(["version"])).toBe(`${version}\n`);
  expect(JSON.parse(await d.ok(["version", "-o", "json"]))).toMatchObject({ version });
});

test("the first screen of help has at most 40 lines of 80 columns, and names every command", async () => {
  const d = await deckhand();
  const text = await d.ok([]);
  expect(await d.ok(["--help"])).toBe(text);
  const lines = text.trimEnd().split("\n");
  expect(lines.length).toBeLessThanOrEqual(40);
  for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80);
  for (const [name, { hidden }] of Object.entries(commandTree))
    if (!hidden) expect(text).toMatch(new RegExp(`^  (.*, )?${name}[ ,\n]`, "m"));
});

test.each([
  [["cards", "show"], "deckhand cards get"],
  [["decks", "new"], "deckhand decks create"],
  [["decks", "rename"], "deckhand decks update"],
  [["tags", "delete"], "deckhand tags remove"],
  [["search", "norway"], "deckhand cards search"],
  [["list"], 'deckhand cards list" or "deckhand decks list'],
  [["restore", "x7Rw2kQp"], 'deckhand cards restore" or "deckhand decks restore'],
  [["undo"], 'deckhand due undo" or "deckhand import undo'],
  [["delete"], 'deckhand cards delete" or "deckhand decks delete'],
  [["login"], "deckhand auth login"],
  [["cards", "export"], "deckhand export"],
  [["revew"], "deckhand review"],
])("a verb of other programs is answered with ours: %j", async (args, meant) => {
  const d = await deckhand();
  expect((await d.run(args)).stderr).toContain(`did you mean "${meant}"?`);
});

const quotes = 'put quotes around words that belong together: "Capital of Norway?"';

test.each([
  [["cards", "list", "--columns", "created"], "did you mean created-at?"],
  [["add", "a", "b", "--tags", "x"], "did you mean --tag?"],
  [["cards", "list", "--image", "x.png"], 'see "deckhand cards list --help"'],
  [["add", "Capital", "of", "Norway?", "Oslo"], quotes],
  [["decks", "create", "Big", "deck"], quotes],
  [["tags", "rename", "old", "tag", "new", "tag"], quotes],
  [["review", "Geography", "Europe"], quotes],
  [["import", "a.csv", "b.csv"], 'see "deckhand import --help"'],
  [["decks", "list", "--columns", "titel"], undefined],
])("an option or column that we name otherwise is answered with ours: %j", async (args, hint) => {
  const d = await deckhand();
  const { code, stderr } = await d.run(args);
  expect(code).toBe(2);
  expect(stderr.split("\n")[1]?.slice(0, hint?.length)).toBe(hint ?? "");
});

test("a card that is named by its front is answered with how to find its id", async () => {
  const d = await deckhand();
  const hint =
    "Cards are named by their ids; `deckhand cards search <words>` shows them, `deckhand trash list` those in the trash.\n";
  for (const verb of ["archive", "get", "delete"])
    expect(await d.run(["cards", verb, "Capital of Norway?", "--yes"])).toEqual({
      code: 4,
      stdout: "",
      stderr: `deckhand: there is no card "Capital of Norway?"\n${hint}`,
    });
});

test.each([
  [["cards", "list", "Geography"], 2, "a deck is chosen with --deck Geography"],
  [["cards", "list", "My deck"], 2, 'a deck is chosen with --deck "My deck"'],
  [
    ["cards", "get", "x7Rw"],
    4,
    "Cards are named by their ids; `deckhand cards search <words>` shows them, `deckhand trash list` those in the trash.",
  ],
  [
    ["add", "x", "y", "--template", "T"],
    2,
    "`deckhand cards create --template <template> --field <name>=<value>` gives them.",
  ],
  [
    ["add", "--deck", "X"],
    2,
    "`deckhand cards create --content-file -` creates a card of standard input, `deckhand import -` several.",
  ],
])("a newcomer's %j is answered with how to write it", async (args, code, hint) => {
  const d = await deckhand();
  const ran = await d.run(args);
  expect(ran.code).toBe(code);
  expect(ran.stderr.split("\n")[1]).toBe(hint);
});

test("the commands that an error suggests exist", async () => {
  const d = await deckhand();
  for (const word of [
    "search",
    "list",
    "undo",
    "new",
    "delete",
    "rename",
    "status",
    "tags add",
    "trash restore",
  ]) {
    const { stderr } = await d.run(word.split(" "));
    for (const [, command = ""] of stderr.matchAll(/"deckhand ([a-z ]+)/g))
      await d.ok([...command.trim().split(" "), "--help"]);
  }
});

test.each([
  [["help", "review", "grade"], 'there is no command "review grade"\nsee "deckhand review --help"'],
  [["help", "cards", "list", "x"], 'there is no command "cards list x"\nsee "deckhand cards list --help"'],
])("help about words after a command is refused: %j", async (args, error) => {
  const d = await deckhand();
  expect(await d.run(args)).toEqual({ code: 2, stdout: "", stderr: `deckhand: ${error}\n` });
});

test("an option of other programs is answered with ours", async () => {
  const d = await deckhand();
  const { code, stderr } = await d.run(["cards", "list", "--json", "id,name"]);
  expect(code).toBe(2);
  expect(stderr).toBe('deckhand: unknown option "--json"\nuse --output json; --columns a,b chooses fields\n');
});

test.each([
  [["help", "cards", "list"], "deckhand cards list"],
  [["cards", "help", "list"], "deckhand cards list"],
  [["cards", "help"], "deckhand cards"],
  [["help", "cards", "-o", "json"], "deckhand cards"],
  [["-q", "cards", "help", "get"], "deckhand cards get"],
  [["help", "due"], "deckhand due"],
  [["due", "list", "--help"], "deckhand due list"],
  [["sync", "--help"], "deckhand sync"],
])("help is found wherever it is asked for: %j", async (args, usage) => {
  const d = await deckhand();
  expect(await d.ok(args)).toMatch(new RegExp(`^Usage: ${usage} (?:<verb> )?\\[options\\]`));
});

test("a word after a noun with a default verb is read as a deck, and says where the decks are", async () => {
  const d = await deckhand();
  const none = "There are no decks yet. Create one with `deckhand decks create`.\n";
  expect((await d.run(["due", "Geography"])).stderr).toBe(
    `deckhand: deck "Geography" was not found\n${none}`,
  );
  await d.ok(["decks", "create", "Languages"]);
  expect((await d.run(["due", "list", "lsit"])).stderr).toBe(
    'deckhand: deck "lsit" was not found\nSee `deckhand decks list`.\n',
  );
});

test.each([[["-V", "-q"]], [["-q", "--version"]]])(
  "the version is printed beside other options: %j",
  async (args) => {
    const d = await deckhand();
    expect(await d.ok(args)).toMatch(/^\d+\.\d+\.\d+\n$/);
  },
);

test.each([
  [["cards", "get", "nosuch", "-qo", "json"]],
  [["cards", "get", "nosuch", "-qojson"]],
  [["cards", "get", "nosuch", "-n", "--output=ndjson"]],
  [["cards", "get", "--nosuch", "-vqo", "json"]],
  [["cards", "get", "--nosuch", "-ondjson"]],
])("an error is JSON where that is asked for, however it is written: %j", async (args) => {
  const d = await deckhand();
  const { stderr } = await d.run(args);
  expect(JSON.parse(stderr.trim().split("\n").at(-1) ?? "").error).toMatchObject({
    code: args.includes("--nosuch") ? "usage" : "not-found",
  });
});

test("an error is JSON where the profile says so, and text where an option says otherwise", async () => {
  const d = await deckhand();
  await d.ok(["config", "set", "output", "json"]);
  const { stderr } = await d.run(["cards", "get", "nosuch"]);
  expect(JSON.parse(stderr)).toMatchObject({ error: { code: "not-found" } });
  expect((await d.run(["cards", "get", "nosuch", "-o", "table"])).stderr).toMatch(/^deckhand: /);
});
