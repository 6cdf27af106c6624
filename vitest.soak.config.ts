import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** The tests of faults at their full counts, and all properties with other values: `SEED=7 npm run test:soak`. */
const seed = process.env["SEED"] || String(Date.now() % 1_000_000);
process.stdout.write(`SEED=${seed}\n`);

const properties = readdirSync("test", { recursive: true, encoding: "utf8" })
  .map((path) => join("test", path))
  .filter((path) => path.endsWith(".test.ts") && readFileSync(path, "utf8").includes('from "fast-check"'));

export default defineConfig({
  test: {
    include: [
      "test/faults/**/*.test.ts",
      "test/end-to-end/geography.test.ts",
      "test/end-to-end/import-kills.test.ts",
      "test/end-to-end/review-kill.test.ts",
      ...properties,
    ],
    globalSetup: ["test/support/build.ts"],
    setupFiles: ["test/support/seed.ts"],
    fileParallelism: false,
    disableConsoleIntercept: true,
    testTimeout: 3_600_000,
    hookTimeout: 60_000,
    env: {
      DECKHAND_HOME: "",
      DECKHAND_PROFILE: "",
      CI: "",
      NO_COLOR: "",
      FORCE_COLOR: "",
      DECKHAND_SOAK: "1",
      SEED: seed,
      FUZZ_CASES: process.env["FUZZ_CASES"] || "100000",
      DECKHAND_TEST_KILLS: process.env["DECKHAND_TEST_KILLS"] || "100",
      DECKHAND_TEST_SEED: seed,
    },
  },
});
