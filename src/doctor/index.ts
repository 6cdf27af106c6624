import type { Context } from "../context/context.ts";
import { knowsHyperlinks } from "../output/hyperlinks.ts";
import { loadSqlite } from "../sqlite.ts";
import { version } from "../version.ts";
import { backupFindings, type Finding, fine, folderFindings, lockFindings, wrong } from "./places.ts";
import { accountFindings, serviceFindings } from "./service.ts";

/** Everything that `deckhand doctor` looks at, one after the other; a check that fails does not stop the others. */
export async function* examinations(context: Context): AsyncGenerator<Finding> {
  yield* versionFindings(context);
  yield* optionalFindings();
  yield* folderFindings(context);
  yield* accountFindings(context);
  // Asking the service takes the lock.
  const locks = [...lockFindings(context)];
  yield* serviceFindings(context);
  yield* terminalFindings(context);
  yield* backupFindings(context);
  yield* locks;
}

function* versionFindings(context: Context): Generator<Finding> {
  yield fine("deckhand", version);
  yield fine("node", `${process.versions.node} on ${context.world.platform} ${process.arch}`);
  try {
    const Database = loadSqlite();
    const database = new Database(":memory:");
    const row = database.prepare("select sqlite_version() as version").all()[0] as
      | { version?: unknown }
      | undefined;
    database.close();
    yield fine("sqlite", String(row?.version));
  } catch (error) {
    yield wrong("sqlite", `the local service cannot run: ${error instanceof Error ? error.message : error}`);
  }
}

/** The packages with native parts that npm leaves out where there is none for the system: everything else works. */
async function* optionalFindings(): AsyncGenerator<Finding> {
  const load = { pictures: () => import("sharp"), training: () => import("@open-spaced-repetition/binding") };
  for (const [what, each] of Object.entries(load)) {
    const isThere = await each().then(
      () => true,
      () => false,
    );
    const name = what === "pictures" ? "sharp" : "@open-spaced-repetition/binding";
    yield fine(what, isThere ? `${name} loads` : `not possible here: ${name} is not installed`);
  }
}

function* terminalFindings(context: Context): Generator<Finding> {
  const { env } = context.world;
  const streams = [
    ["stdin", context.io.stdin.isTTY],
    ["stdout", context.io.stdout.isTTY],
    ["stderr", context.io.stderr.isTTY],
  ] as const;
  const terminals = streams.filter(([, isTerminal]) => isTerminal).map(([name]) => name);
  yield fine(
    "terminal",
    terminals.length === 0 ? "none" : `${terminals.join(", ")}; ${context.io.width} columns`,
  );
  yield fine("TERM", env["TERM"] ?? "not set");
  yield fine("locale", env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "not set");
  yield fine("colour", context.io.colour ? "used" : "not used");
  yield fine("hyperlinks", knowsHyperlinks(env) ? "used" : "not used");
}
