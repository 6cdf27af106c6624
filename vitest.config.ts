import { defineConfig } from "vitest/config";

/** Tests that start processes, change the environment, or watch what a process loads: each file in a process of its own. */
const processes = [
  "test/{end-to-end,faults,files,package}/**/*.test.ts",
  "test/cli/completion/*.test.ts",
  "test/commands/{attach,auth,serve}/*.test.ts",
  "test/**/{processes,proxy,screen,jq,prompts,stream,anki}.test.ts",
  "test/review/{service,session-screen}.test.ts",
];

export default defineConfig({
  test: {
    globalSetup: ["test/support/build.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Every test makes its own folders and environment; none may read the caller's settings.
    env: { DECKHAND_HOME: "", DECKHAND_PROFILE: "", CI: "", NO_COLOR: "", FORCE_COLOR: "" },
    // By default a machine with two cores gets one worker.
    maxWorkers: "100%",
    projects: [
      {
        extends: true,
        // Files share one process and its loaded modules: importing them anew takes longer than most of these tests.
        test: { name: "units", include: ["test/**/*.test.{ts,tsx}"], exclude: processes, isolate: false },
      },
      { extends: true, test: { name: "processes", include: processes } },
    ],
  },
});
