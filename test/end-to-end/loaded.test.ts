import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { cli, isOneFile } from "../support/cli.ts";

test.skipIf(isOneFile)("a list from the local service is loaded from few files", async () => {
  const home = cli();
  onTestFinished(() => home.remove());
  const [hook, loaded] = [join(home.home, "hook.cjs"), join(home.home, "loaded")];
  writeFileSync(
    hook,
    `process.on("exit", () => require("node:fs").writeFileSync(${JSON.stringify(loaded)}, Object.keys(require.cache).join("\\n")));`,
  );
  await home.ok(["cards", "list"]);
  await home.ok(["cards", "list"], { env: { NODE_OPTIONS: `--require=${hook}` } });
  const files = readFileSync(loaded, "utf8").match(/(?<=\/dist\/chunks\/)[\w-]+?(?=-.{8}\.cjs$)/gm) ?? [];
  // What two ways lead to that share no file stands in one of its own, and each file costs time to find and read.
  expect(files.length, files.join(" ")).toBeLessThanOrEqual(14);
});
