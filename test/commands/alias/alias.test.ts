import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { splitWords } from "../../../src/config/aliases.ts";
import { deckhand } from "../../support/world.ts";

test("an alias is replaced by its command, and further arguments are added", async () => {
  const d = await deckhand();
  await d.ok(["decks", "create", "Languages"]);
  await d.ok(["alias", "set", "es", 'add --deck Languages --tag "very new"']);
  const id = (await d.ok(["es", "sol", "sun"])).trim();
  expect(JSON.parse(await d.ok(["cards", "get", id]))).toMatchObject({
    content: "sol\n---\nsun",
    tags: ["very new"],
  });
  expect(await d.ok(["alias", "list"])).toBe('es\tadd --deck Languages --tag "very new"\n');
  expect(await d.run(["-q", "es", "--dry-run", "luna", "moon"])).toMatchObject({ code: 0 });
  await d.ok(["alias", "delete", "es"]);
  expect(await d.run(["es", "sol", "sun"])).toMatchObject({ code: 2 });
  expect(await d.run(["alias", "delete", "es"])).toMatchObject({ code: 2 });
});

test("help of an alias says what it runs, and is the help of that command", async () => {
  const d = await deckhand();
  await d.ok(["alias", "set", "eu", "cards search europe"]);
  await d.ok(["alias", "set", "many", "due --count"]);
  expect(await d.run(["help", "eu"])).toEqual({
    code: 0,
    stdout: await d.ok(["cards", "search", "--help"]),
    stderr: "eu is an alias for: cards search europe\n",
  });
  expect(await d.ok(["help", "many"])).toBe(await d.ok(["due", "--help"]));
  expect(await d.run(["help", "nope"])).toMatchObject({ code: 2 });
});

test("built-in commands win over aliases, and cannot be one", async () => {
  const d = await deckhand();
  for (const name of ["cards", "deck", "help", "-x", "a b"])
    expect(await d.run(["alias", "set", name, "due"]), name).toMatchObject({ code: 2 });
  expect(await d.run(["alias", "set", "x", "'open"])).toMatchObject({ code: 2 });
});

test("a program deckhand-<name> that cannot be started is an error with its path", async () => {
  const d = await deckhand();
  const bin = join(d.home, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "deckhand-broken"), "#!/no/such/interpreter\n");
  chmodSync(join(bin, "deckhand-broken"), 0o755);
  expect(await d.run(["broken"], { env: { PATH: bin } })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`${join(bin, "deckhand-broken")} cannot be run: `),
  });
});

test("deckhand <name> runs the program deckhand-<name> on the PATH, after aliases", async () => {
  const d = await deckhand();
  const bin = join(d.home, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "deckhand-hello"), '#!/bin/sh\necho "$@" > "$DECKHAND_HOME/said"; exit 7\n');
  chmodSync(join(bin, "deckhand-hello"), 0o755);
  const env = { PATH: `${bin}:${process.env["PATH"]}` };
  expect((await d.run(["hello", "a b", "-q"], { env })).code).toBe(7);
  await d.ok(["alias", "set", "hello", "version"]);
  expect((await d.run(["hello"], { env })).code).toBe(0);
});

test("the words of an alias are split like a shell's", () => {
  expect(splitWords(`add --deck "A B" 'c "d"' e''f ""`)).toEqual(["add", "--deck", "A B", 'c "d"', "ef", ""]);
  expect(splitWords("  ")).toEqual([]);
});
