import type { Command as TypedCommand, Option as TypedOption } from "@commander-js/extra-typings";
import { Command, Option } from "commander";
import { formats } from "../config/settings.ts";

const oneOf = <F extends string>(flags: F, about: string, values: readonly string[]) =>
  new Option(flags, about).choices(values) as unknown as TypedOption<F>;

/** The options of every command, in the order of help (docs/design/cli.md, Global options). */
const declared = (new Command() as unknown as TypedCommand)
  .option("--profile <name>", "which account to use")
  .option("--base-url <url>", "base URL of the service")
  .addOption(oneOf("--codec <codec>", "encoding of request and response bodies", ["json", "transit"]))
  .option("--timeout <duration>", "time limit of a request, e.g. 30s")
  .option("--retries <n>", "how often a failed request is repeated, if it may be")
  .addOption(oneOf("-o, --output <format>", "output format", formats))
  .option("--columns <a,b,c>", "which fields to print, in which order")
  .option("--jq <filter>", "filter the JSON result with a jq expression")
  .option("-q, --quiet", "print only data and errors")
  .option("-v, --verbose", "log each request, wait and retry on stderr")
  .option("--no-color", "print without colour")
  .option("-n, --dry-run", "print the requests instead of sending them")
  .option("-y, --yes", "answer yes to every confirmation");

/** Absent means not given on the command line. */
export type GlobalOptions = Readonly<Partial<ReturnType<typeof declared.opts>>>;

export const globalOptions = declared.options as readonly Option[];

const namesOf = (options: readonly Option[]): ReadonlySet<string> =>
  new Set(options.flatMap(({ short, long }) => [short, long].filter((name) => name != null)));

/** Long and short names of the global options that take a value: what comes after them is no command. */
export const globalsWithValue = namesOf(globalOptions.filter(({ required }) => required));

/** The names that commander gives the values of global options. */
export const globalKeys: ReadonlySet<string> = new Set(globalOptions.map((each) => each.attributeName()));

export const globalOptionsGroup = "Global options:";

export function addGlobalOptions(command: Command): Command {
  for (const option of globalOptions) command.addOption(option.helpGroup(globalOptionsGroup));
  return command.helpOption("-h, --help", "show this help");
}

/** Reads the global options off a parsed command; those not given are absent. */
export function readGlobalOptions(command: Command): GlobalOptions {
  const given: Record<string, unknown> = {};
  for (const name of globalKeys)
    if (command.getOptionValueSource(name) === "cli") given[name] = command.getOptionValue(name);
  return given;
}
