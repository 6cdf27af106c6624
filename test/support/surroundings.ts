import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { type Cli, cli, program, type Served, serve } from "./cli.ts";
import { makeCards, withCollection } from "./collection.ts";

/** The built program in the surroundings that servers, containers and CI jobs give it. */

export const isRoot = process.getuid?.() === 0;
/** Nobody, where the tests run as root, whom no rights stop. */
export const other = isRoot ? { uid: 65534, gid: 65534 } : {};
export const reached =
  spawnSync(process.execPath, [program, "--version"], { ...other, cwd: "/" }).status === 0;
if (!reached) console.warn("skipped what needs another user: that user cannot read this folder");

export interface Surroundings {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly uid?: number;
  readonly gid?: number;
  readonly input?: string;
}

/** Only what is given here is in the environment. */
export function run(args: readonly string[], { env = {}, cwd = "/", ...as }: Surroundings = {}) {
  const options = { env: { PATH: process.env["PATH"], TZ: "UTC", ...env }, cwd, ...as, timeout: 25_000 };
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    ...options,
    encoding: "utf8",
  });
  return { code: status, stdout, stderr };
}

/** A line of a shell with the program as $DECKHAND. */
export function shell(script: string, env: NodeJS.ProcessEnv, cwd = "/") {
  const { status, stdout, stderr } = spawnSync("bash", ["--norc", "-c", script], {
    env: { PATH: process.env["PATH"], TZ: "UTC", DECKHAND: `${process.execPath} ${program}`, ...env },
    cwd,
    encoding: "utf8",
    timeout: 25_000,
  });
  return { code: status, stdout, stderr };
}

export interface World {
  readonly home: Cli;
  readonly served: Served;
  /** The environment of an account on a service. */
  readonly hosted: NodeJS.ProcessEnv;
  /** The environment of the local service, in a home of its own. */
  readonly local: NodeJS.ProcessEnv;
  /** The home folder of a user who has settings. */
  readonly somebodys: string;
  /** A folder of the other user, with these rights. */
  folder(mode: number, owner?: { uid?: number; gid?: number }): string;
}

/** A collection of 1,500 cards for the tests of a file: in a home, and served. */
export function surroundings(): World {
  const base = mkdtempSync(join(tmpdir(), "deckhand-surroundings-"));
  const folder: World["folder"] = (mode, owner = other) => {
    const path = mkdtempSync(join(base, "home-"));
    if (owner.uid !== undefined && owner.gid !== undefined) chownSync(path, owner.uid, owner.gid);
    chmodSync(path, mode);
    return path;
  };
  const world: { -readonly [key in keyof World]?: World[key] } = { folder };

  beforeAll(async () => {
    chmodSync(base, 0o755);
    const home = cli({ DECKHAND_PROFILE: "local" });
    const contents = Array.from({ length: 1500 }, (_, i) => `Card ${i} ${"long ".repeat(30)}`);
    await withCollection(join(home.home, "data"), (client) => makeCards(client, contents, "Füße"));
    const served = await serve(home);
    const somebodys = folder(0o755, {});
    run(["config", "set", "codec", "transit"], { env: { HOME: somebodys } });
    const local = { DECKHAND_HOME: home.home, DECKHAND_PROFILE: "local" };
    const hosted = { DECKHAND_BASE_URL: served.url, DECKHAND_API_KEY: served.key };
    Object.assign(world, { home, served, somebodys, local, hosted });
  }, 90_000);

  afterAll(async () => {
    await world.served?.stop();
    world.home?.remove();
    rmSync(base, { recursive: true, force: true, maxRetries: 10 });
  });

  return world as World;
}
