import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { deckhand } from "../../support/world.ts";

const plan = ["--dry-run", "-o", "json"];

describe("templates create", () => {
  test("declares fields by id, name and type, and their options with their types", async () => {
    const d = await deckhand();
    const sent = JSON.parse(
      await d.ok([
        ...["templates", "create", "Word", "--content", "<< Word >>\n---\n<< Time: hh:mm >> << note >>"],
        ...["--field", "name=Word", "--field", "time=Time: hh:mm:text", "--field", "note:ai"],
        ...["--option", "note.multi-line?=true", "--option", "note.ai-task=a=b", "--option", "note.n=007"],
        ...["--option", "note.max=3", "--pos", "b", "--text-alignment", "center", "--show-sides-separately"],
        ...plan,
      ]),
    );
    expect(sent.body).toEqual({
      name: "Word",
      content: "<< Word >>\n---\n<< Time: hh:mm >> << note >>",
      fields: {
        name: { id: "name", name: "Word" },
        time: { id: "time", name: "Time: hh:mm", type: "text" },
        note: {
          id: "note",
          type: "ai",
          options: { "multi-line?": true, "ai-task": "a=b", n: "007", max: 3 },
        },
      },
      pos: "b",
      style: { "text-alignment": "center" },
      options: { "show-sides-separately?": true },
    });
  });

  test.each(["json", "transit"])("is stored as it was given, in %s", async (codec) => {
    const d = await deckhand({ DECKHAND_CODEC: codec });
    const id = await d.ok([
      ...["templates", "create", "Capital", "--content", "<< Country >>\n---\n<< Capital >>"],
      ...[
        "--field",
        "name=Country",
        "--field",
        "capital=Capital:text",
        "--option",
        "capital.multi-line?=false",
      ],
    ]);
    expect(JSON.parse(await d.ok(["templates", "get", "capital"]))).toMatchObject({
      id: id.trim(),
      fields: {
        name: { id: "name", name: "Country" },
        capital: { id: "capital", name: "Capital", type: "text", options: { "multi-line?": false } },
      },
    });
    expect(await d.ok(["templates", "list", "--columns", "id,name"])).toBe(`${id.trim()}\tCapital\n`);
  });

  test("makes one of a template as it was received, without what only the service says", async () => {
    const d = await deckhand();
    await d.ok(["templates", "create", "T", "--content", "<< A >>", "--field", "a=A"]);
    const received = { ...JSON.parse(await d.ok(["templates", "get", "T"])), style: null, colour: "red" };
    const input = JSON.stringify(received, undefined, 2);
    const ran = await d.run(["templates", "create", "--from", "-", "--dry-run", "-o", "json"], { input });
    const { name, content, pos, fields } = received;
    expect(JSON.parse(ran.stdout).body).toEqual({ name, content, pos, fields });
    expect(ran.stderr).toBe('deckhand: warning: the API has no field "colour"; it is not sent\n');
  });

  test("reads the whole body from JSON or YAML, from a file or standard input", async () => {
    const d = await deckhand();
    const body = { name: "A", content: "<< X >>", fields: { x: { id: "x", name: "X" } } };
    const json = join(d.home, "a.json");
    writeFileSync(json, `\uFEFF${JSON.stringify(body)}`);
    const yaml = "name: A\ncontent: << X >>\nfields:\n  x: { id: x, name: X }\n";
    for (const [from, input] of [
      [json, ""],
      ["-", yaml],
      ["-", JSON.stringify(body)],
    ] as const)
      expect(
        JSON.parse(await d.ok(["templates", "create", "--from", from, ...plan], { input })).body,
      ).toEqual(body);
  });

  test("warns of a placeholder that names no field, and creates it all the same", async () => {
    const d = await deckhand();
    const { code, stderr } = await d.run([
      ...[
        "templates",
        "create",
        "T",
        "--field",
        "a=Front",
        "--content",
        "<< Front >> << Bcak >> << #Nope >>x<< /Nope >>",
      ],
    ]);
    expect(code).toBe(0);
    expect(stderr).toContain("<< Bcak >> names no field");
    expect(stderr).toContain("<< Nope >> names no field");
    expect(stderr).not.toContain("Front");
  });

  test.each([
    [["T"], "--content"],
    [["--content", "x"], "name"],
    [["T".repeat(65), "--content", "x"], "name is too long"],
    [["T", "--content", "x", "--field", "a:txt"], "one of text, boolean, number"],
    [["T", "--content", "x", "--field", "a=b:c"], "needs the type after it"],
    [["T", "--content", "x", "--field", "=b"], "no id"],
    [["T", "--content", "x", "--field", "a", "--field", "a=b"], "twice"],
    [["T", "--content", "x", "--option", "a.b=1"], "no --field declares that id"],
    [["T", "--content", "x", "--field", "a", "--option", "a.b"], "<id>.<option>=<value>"],
    [["T", "--content", "x", "--text-alignment", "middle"], "left, center, right"],
    [["T", "--from", "-"], "excludes"],
    [["--from", "-", "--pos", "a"], "excludes"],
    [["--from", "nowhere.json"], "no such file"],
  ])("refuses %j before anything is sent", async (args, said) => {
    const d = await deckhand();
    const { code, stdout, stderr } = await d.run(["templates", "create", ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(said);
  });

  test.each([
    ["[1, 2", "not valid"],
    ["a: [", "not valid YAML"],
    [
      '{"name": "x", "fields": {"a": {"id": "b"}}}',
      'content is required and cannot be nil; fields "a" has an id',
    ],
    ["just text", "must be a map"],
  ])("refuses the body %j", async (input, said) => {
    const d = await deckhand();
    const { code, stderr } = await d.run(["templates", "create", "--from", "-"], { input });
    expect(code).toBe(2);
    expect(stderr).toContain(said);
  });
});
