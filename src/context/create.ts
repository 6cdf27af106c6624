import type { Command } from "commander";
import { type GlobalOptions, readGlobalOptions } from "../cli/options.ts";
import {
  type Account,
  folders,
  readConfig,
  readCredentials,
  resolveAccount,
  resolveProfile,
  resolveSettings,
  type Sources,
} from "../config/index.ts";
import { UsageError } from "../errors.ts";
import { createOutput, type Output, reportError, visible } from "../output/index.ts";
import type { StatusLine } from "../output/status.ts";
import type { Listing } from "../schema/resources.ts";
import type { Context, StartContext, World } from "./context.ts";
import { once } from "./once.ts";

/** Contexts for commands, and the end of them all. */
export interface Starter {
  readonly start: StartContext;
  /** The output format of the last started context; undefined without one, or where its settings can't be read. */
  format(): string | undefined;
  /** Closes what the started contexts opened. */
  close(): Promise<void>;
}

export function createStarter(world: World): Starter {
  const started: Context[] = [];
  return {
    start(command: Command) {
      const context = createContext(world, readGlobalOptions(command));
      started.push(context);
      return context;
    },
    format() {
      try {
        return started.at(-1)?.format;
      } catch {
        return undefined;
      }
    },
    async close() {
      for (const context of started) await context.close();
    },
  };
}

export function createContext(world: World, options: GlobalOptions): Context {
  const { stdout, stderr, env, signal } = world;
  const places = folders(env, world.platform, world.home);
  const sources = once((): Sources => {
    const { config, problem } = readConfig(places.config);
    return {
      options: { ...options },
      env,
      config,
      configProblem: problem,
      credentials: once(() => readCredentials(places.config, world.platform)),
    };
  });
  const settings = once(() => resolveSettings(sources()));
  const account = once((): Account => resolveAccount(sources(), settings()));
  const stream = once((): Output => createOutput(stdout));
  const output: Output = {
    write(data) {
      if (stdout.isTTY) line?.clear();
      return stream().write(data);
    },
  };
  const quiet = options.quiet === true;
  let line: StatusLine | undefined;
  /** What was said while messages are held. */
  let held: string[] | undefined;
  const status = once(async () => {
    const { createStatus } = await import("./status.ts");
    line = createStatus(context, () => held !== undefined);
    return line;
  });
  const tell = (text: string) => {
    if (held !== undefined) held.push(text);
    else if (line === undefined) stderr.write(text);
    else line.above(text);
  };

  const connection = once(async () => {
    const { connect } = await import("./connect.ts");
    return connect(context);
  });
  const names = once(async () => {
    const { openNames } = await import("./names.ts");
    return openNames(context);
  });
  const planned = once(async () => {
    const { createPlanned } = await import("./planned.ts");
    return createPlanned(context);
  });
  const filterChecked = once(async () => {
    if (options.jq === undefined) return;
    const { checkFilter } = await import("./printing.ts");
    await checkFilter(context);
  });
  const printer = async (listing: Listing) => {
    const { printerFor } = await import("./printing.ts");
    return printerFor(context, listing);
  };

  const context: Context = {
    world,
    get stdin() {
      return world.stdin;
    },
    stdout,
    stderr,
    signal,
    options,
    folders: places,
    dryRun: options.dryRun === true,
    get interactive() {
      return stderr.isTTY === true && world.stdin.isTTY === true;
    },
    now: world.now,
    random: world.random,

    sources,
    settings,
    account,
    client: async () => (await connection()).client,
    http: async () => (await connection()).http,
    names,
    has: async (extension) =>
      (await (await connection()).client.service.describe()).extensions.includes(extension),

    get format() {
      return settings().output.value;
    },
    get colour() {
      const { value } = settings().color;
      return value === "always" || (value === "auto" && stdout.isTTY === true && env["TERM"] !== "dumb");
    },
    get width() {
      // Some terminals say 0 for "not known".
      return stdout.columns || 80;
    },
    unicode: /utf-?8/i.test(env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "utf8"),
    async printList(listing, documents) {
      return (await printer(listing)).list(documents);
    },
    async printDocuments(listing, documents, several) {
      return (await printer(listing)).documents(documents, several);
    },
    async printChanged(listing, documents, several) {
      if (context.dryRun) return (await planned()).drain(documents, several);
      return (await printer(listing)).changed(documents, several);
    },
    checkFilter: filterChecked,
    output,
    write: output.write,
    async printJson(value) {
      const { printJson } = await import("./printing.ts");
      return printJson(context, value);
    },

    say(sentence) {
      if (quiet || !stderr.isTTY) return;
      const others = Object.keys(sources().config.profiles).some((name) => name !== "local");
      // Not all settings: what another of them is wrong about is not this sentence's to tell.
      const profile = resolveProfile(sources()).value;
      tell(`${visible(others && profile !== undefined ? `${sentence} (${profile})` : sentence)}\n`);
    },
    note(line) {
      if (!quiet) tell(`${visible(line)}\n`);
    },
    warn: (line) => tell(`deckhand: warning: ${visible(line)}\n`),
    report(error) {
      reportError(error, {
        format: context.format,
        debug: env["DECKHAND_DEBUG"] === "1",
        write: tell,
      });
    },
    holdMessages() {
      line?.clear();
      held ??= [];
      return () => {
        const texts = held ?? [];
        held = undefined;
        texts.forEach(tell);
      };
    },
    status,
    async confirm(question, otherwise) {
      if (options.yes) return;
      if (!context.interactive)
        throw new UsageError(`${question} Nobody is there to ask: ${otherwise}`, {
          hint: "To say yes, run it again with --yes.",
        });
      const { askYesNo } = await import("../output/prompts.ts");
      if (!(await askYesNo(question, context))) throw new UsageError(otherwise);
    },
    async edit(text, name) {
      const { edit } = await import("./editor.ts");
      return edit(text, name, context);
    },
    showPlan: async (call) => (await planned()).showCall(call),
    showRequest: async (request) => (await planned()).show(request),
    async close() {
      if (planned.made) await (await planned()).end();
      line?.clear();
      if (names.made) (await names().catch(() => undefined))?.save();
      if (connection.made) await (await connection().catch(() => undefined))?.close();
    },
  };
  return context;
}
