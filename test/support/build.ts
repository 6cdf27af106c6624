import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Builds the program once before the tests, unless the build is newer than every source file (or DECKHAND_TEST_NO_BUILD=1). */
export default function setup(): void {
  if (process.env["DECKHAND_TEST_NO_BUILD"] === "1") return;
  const built = existsSync("dist/main.cjs") ? statSync("dist/main.cjs").mtimeMs : 0;
  if (built < newest("src") || built < statSync("rolldown.config.ts").mtimeMs)
    execFileSync("npm", ["run", "--silent", "build"], { stdio: "inherit" });
}

function newest(folder: string): number {
  let latest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    latest = Math.max(latest, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs);
  }
  return latest;
}
