import type { Command } from "commander";
import { type GlobalOptions, readGlobalOptions } from "../cli/options.ts";
import {
  folders,
  readConfig,
  readCredentials,
  resolveAccount,
  resolveProfile,
  resolveSettings,
  type Settings,
  type Sources,
} from "../config/index.ts";
import { DeckhandError } from "../errors.ts";
import type { Connection } from "./connect.ts";
import type { Context, StartContext, World } from "./context.ts";
import { Terminal } from "./io.ts";
import { once } from "./once.ts";
import { CommandPrint } from "./print.ts";

/** The contexts of the process, and their end. */
export interface Starter {
  readonly start: StartContext;
  /** The output format of the last context; undefined without one, or if its settings are invalid. */
  format(): string | undefined;
  /** Closes what the contexts opened. */
  close(): Promise<void>;
}

export function createStarter(world: World): Starter {
  const started: ClosableContext[] = [];
  return {
    start(command: Command) {
      const context = createContext(world, readGlobalOptions(command));
      started.push(context);
      return context;
    },
    format() {
      try {
        return started.at(-1)?.print.format;
      } catch {
        return undefined;
      }
    },
    async close() {
      for (const context of started) await context.close();
    },
  };
}

/** A context with its end: only its creator closes it. */
export interface ClosableContext extends Context {
  /** Prints what a dry run withheld, saves the names, and closes the connection. */
  close(): Promise<void>;
}

export function createContext(world: World, options: GlobalOptions): ClosableContext {
  const places = folders(world.env, world.platform, world.home);
  const sources = once(() => sourcesOf(world, options, places.config));
  const settings = once(() => resolveSettings(sources()));
  const io = new Terminal(world, {
    options,
    stateFolder: places.state,
    colour: () => colourWanted(settings),
    format: () => settings().output.value,
    profile: () => profileToName(sources()),
  });
  const connection = once(async (): Promise<Connection> => {
    const { connect } = await import("./connect.ts");
    return connect(context);
  });
  const names = once(async () => {
    const { openNames } = await import("./names.ts");
    return openNames(context);
  });
  const printing = new CommandPrint({ io, options, world, settings });
  const context: ClosableContext = {
    world,
    io,
    clock: { now: world.now, random: world.random },
    signal: world.signal,
    options,
    folders: places,
    sources,
    settings,
    account: once(() => resolveAccount(sources(), settings())),
    client: async () => (await connection()).client,
    http: async () => (await connection()).http,
    names,
    print: printing,
    async close() {
      await printing.end();
      io.clear();
      // What a dry run noted has not happened.
      if (names.created && !options.dryRun) (await names().catch(() => undefined))?.save();
      if (connection.created) await (await connection().catch(() => undefined))?.close();
    },
  };
  return context;
}

function sourcesOf(world: World, options: GlobalOptions, folder: string): Sources {
  const { config, problem } = readConfig(folder);
  return {
    options: { ...options },
    env: world.env,
    config,
    configProblem: problem,
    credentials: once(() => readCredentials(folder, world.platform)),
  };
}

/** Invalid settings are reported by what needs them; help and `doctor` are printed all the same. */
function colourWanted(settings: () => Settings): "always" | "auto" | "never" {
  try {
    return settings().color.value ?? "auto";
  } catch (error) {
    if (error instanceof DeckhandError) return "never";
    throw error;
  }
}

/** The profile in use, if there are others than `local`. Invalid settings other than the profile do not matter here. */
function profileToName(sources: Sources): string | undefined {
  const others = Object.keys(sources.config.profiles).some((name) => name !== "local");
  return others ? resolveProfile(sources).value : undefined;
}
