import type { Context } from "../context/context.ts";
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
  const optional = [
    ["pictures", "sharp", () => import("sharp")],
    ["training", "@open-spaced-repetition/binding", () => import("@open-spaced-repetition/binding")],
  ] as const;
  for (const [what, name, load] of optional) {
    const isThere = await load().then(
      () => true,
      () => false,
    );
    yield fine(what, isThere ? `${name} loads` : `not possible here: ${name} is not installed`);
  }
}

function* terminalFindings(context: Context): Generator<Finding> {
  const terminals = (["stdin", "stdout", "stderr"] as const).filter((name) => context.io[name].isTTY);
  yield fine(
    "terminal",
    terminals.length === 0 ? "none" : `${terminals.join(", ")}; ${context.io.width} columns`,
  );
  yield fine("TERM", context.world.env["TERM"] ?? "not set");
  yield fine("colour", context.io.colour ? "used" : "not used");
}
