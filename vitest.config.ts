import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { hasBucketServer } from "./test/support/bucket.ts";
import { findPostgres, runsAll } from "./test/support/postgres.ts";
import { temporaryRoot } from "./test/support/temporary.ts";

/** What takes longest, in the order in which it is begun: at the end no worker then waits for another one. */
const long = [
  "sync/model",
  "review/service",
  "study/session",
  "review/(?:screen|session-screen|hostile)",
  "study/(?:hostile|looks)",
  "cli/completion/shells",
  "faults/(?:files|hostile-load|exactly-once|written-files|sync|hostile-service|power-failures)",
  "home/screen",
  "mcp/mcp",
  "commands/(?:finished|serve/serve)",
  "end-to-end/(?:examples|contract|format-kills|notes-kills|homes)",
  "service/long-work",
  "sync/git",
  "transfer/(?:geography|hostile|memory|round-trip)",
  "http/proxy",
].map((name) => new RegExp(`/test/${name}\\.test\\.ts$`));

/**
 * Kills, attacks, full disks, other users' machines, many made-up values, shells, browsers and terminals: what takes minutes,
 * or needs more than Node. `npm run test:all` and `.ci/run` run them, `npm test` does not.
 */
const thorough = [
  "test/faults/**/*.test.ts",
  "test/end-to-end/*kill*.test.ts",
  "test/end-to-end/{closed-output,create-deck,environments,geography,homes,interrupt,one-day,pictures,questions,recipes,review}.test.ts",
  "test/study/{command,days,hostile,looks,session}.test.ts",
  "test/cli/completion/shells.test.ts",
  "test/codecs/properties.test.ts",
  "test/commands/due/mornings.test.ts",
  "test/home/screen.test.ts",
  "test/http/{pace,processes,proxy}.test.ts",
  "test/mcp/mcp.test.ts",
  "test/notes/vaults.test.ts",
  "test/output/markdown/hostile.test.ts",
  "test/package/package.test.ts",
  "test/review/{hostile,screen,service,session-screen,two-sessions}.test.ts",
  "test/service/long-work.test.ts",
  "test/stats/page.test.ts",
  "test/sync/{git,model}.test.ts",
  "test/transfer/{again,geography,hostile,hostile-packages,memory}.test.ts",
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) => {
      const place = long.findIndex((name) => name.test(moduleId));
      return place < 0 ? long.length : place;
    };
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

/** Runs only where there is a PostgreSQL server: what may differ, or with DECKHAND_TEST_POSTGRES=all the whole suite. */
const onPostgres = runsAll
  ? ["test/service/**/*.test.ts", "test/postgres/**/*.test.ts"]
  : ["test/service/{attachments,batch,cards,due,ids,paging,slots}.test.ts", "test/postgres/**/*.test.ts"];
const hasPostgres = Boolean(process.env["DECKHAND_TEST_POSTGRES_URL"]) || findPostgres() !== undefined;
if (!hasPostgres)
  process.stdout.write("no PostgreSQL server was found: the tests that need one are skipped\n");

const postgres = {
  extends: true as const,
  test: {
    name: "postgres",
    include: onPostgres,
    // About the files of SQLite.
    exclude: ["test/service/{store,processes}.test.ts", "test/service/{backup,check}/**"],
    globalSetup: ["test/support/postgres-server.ts"],
    env: { DECKHAND_TEST_ENGINE: "postgres" },
    // A request is several exchanges with another process, which may have to wait for a busy machine.
    testTimeout: 120_000,
  },
};

/** The command line over accounts of a server on PostgreSQL: tests of what is asked of a service, of any kind. */
const commandsOnPostgres = {
  ...postgres,
  test: {
    ...postgres.test,
    name: "postgres-commands",
    include: [
      "test/commands/{api,attach,cards,decks,due,sync,tags,templates}/*.test.ts",
      "test/commands/{bulk,export,import,import-again}.test.ts",
      "test/end-to-end/{geography,journal,recipes,updated}.test.ts",
      "test/faults/{exactly-once,one-at-a-time}.test.ts",
    ],
    exclude: [],
  },
};

const hasBucket = hasPostgres && hasBucketServer();
if (hasPostgres && !hasBucket)
  process.stdout.write("no S3-compatible server was found: the tests that need one are skipped\n");

const bucket = {
  ...postgres,
  test: {
    ...postgres.test,
    name: "bucket",
    include: ["test/bucket/**/*.test.ts", ...(runsAll ? ["test/service/attachments.test.ts"] : [])],
    globalSetup: [...postgres.test.globalSetup, "test/support/bucket-server.ts"],
    env: { ...postgres.test.env, DECKHAND_TEST_BLOBS: "bucket" },
  },
};

export default defineConfig({
  test: {
    globalSetup: ["test/support/build.ts"],
    setupFiles: ["test/support/seed.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A second, as Vitest has it, is little on a busy machine.
    expect: { poll: { timeout: 20_000 } },
    // Every test makes its own folders and environment; none may read the caller's settings.
    env: {
      DECKHAND_HOME: "",
      DECKHAND_PROFILE: "",
      CI: "",
      NO_COLOR: "",
      FORCE_COLOR: "",
      TMPDIR: temporaryRoot(),
    },
    // One more than there are cores: tests of processes wait for a third of their time.
    maxWorkers: availableParallelism() + 1,
    // Files share the process of a worker and its loaded modules: importing them anew takes longer than most tests.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: "local",
          include: ["test/**/*.test.{ts,tsx}"],
          exclude: ["test/postgres/**", "test/bucket/**", ...thorough],
        },
      },
      {
        extends: true,
        // Many of these start dozens of processes, which wait for a busy machine.
        test: { name: "thorough", include: thorough, testTimeout: 120_000 },
      },
      ...(hasPostgres ? [postgres] : []),
      ...(hasPostgres && runsAll ? [commandsOnPostgres] : []),
      ...(hasBucket ? [bucket] : []),
    ],
  },
});
