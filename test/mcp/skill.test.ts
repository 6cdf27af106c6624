import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { program } from "../support/cli.ts";
import { home } from "./support.ts";

const skill = readFileSync("docs/skill/SKILL.md", "utf8");

test("each example of the skill runs, in the order of the page", async () => {
  const d = home();
  const lines = [...skill.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = ""]) =>
    block.trim().split("\n"),
  );
  expect(lines.length).toBeGreaterThan(15);
  for (const line of lines) {
    const script = `deckhand() { ${process.execPath} ${program} "$@"; }; set -o pipefail; ${line}`;
    const { status, stderr } = spawnSync("bash", ["-c", script], {
      cwd: d.home,
      env: d.env,
      encoding: "utf8",
    });
    expect([line, status, status === 0 ? "" : stderr]).toEqual([line, 0, ""]);
  }
  expect(JSON.parse(await d.ok(["cards", "search", "-o", "json", "deck:Biology"]))).toHaveLength(4);
}, 120_000);

test("the skill is short, and is what `help agents` prints", async () => {
  expect(skill.split("\n").length).toBeLessThanOrEqual(121);
  const printed = await home().ok(["help", "agents"]);
  expect(printed).toContain("Look before you add");
  expect(printed).toContain("deckhand due answer - remembered");
  expect(printed).not.toContain("name: deckhand");
  // What is to be copied is whole, however narrow the page.
  expect(printed).toContain(
    "--content $'Where does photosynthesis take place?\\n---\\nIn the chloroplasts' --tag exam",
  );
});
