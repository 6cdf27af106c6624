import { type Command, Option } from "commander";
import { formats } from "../config/settings.ts";

/** The options that every command knows (docs/design/cli.md, Global options). Absent means not given on the command line. */
export interface GlobalOptions {
  readonly profile?: string;
  readonly baseUrl?: string;
  readonly codec?: string;
  readonly timeout?: string;
  readonly retries?: string;
  readonly output?: string;
  readonly columns?: string;
  readonly jq?: string;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly color?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

interface GlobalOption {
  readonly flags: string;
  readonly about: string;
  readonly values?: readonly string[];
}

/** The options of every command, in the order of help. */
export const globalOptions: readonly GlobalOption[] = [
  { flags: "--profile <name>", about: "which account to use" },
  { flags: "--base-url <url>", about: "base URL of the service" },
  { flags: "--codec <codec>", about: "encoding of request and response bodies", values: ["json", "transit"] },
  { flags: "--timeout <duration>", about: "time limit of a request, e.g. 30s" },
  { flags: "--retries <n>", about: "how often a failed request is repeated, if it may be" },
  { flags: "-o, --output <format>", about: "output format", values: formats },
  { flags: "--columns <a,b,c>", about: "which fields to print, in which order" },
  { flags: "--jq <filter>", about: "filter the JSON result with a jq expression" },
  { flags: "-q, --quiet", about: "print only data and errors" },
  { flags: "-v, --verbose", about: "log each request, wait and retry on stderr" },
  { flags: "--no-color", about: "print without colour" },
  { flags: "-n, --dry-run", about: "print the requests instead of sending them" },
  { flags: "-y, --yes", about: "answer yes to every confirmation" },
];

/** Long and short names of the global options that take a value: what comes after them is no command. */
export const globalsWithValue: ReadonlySet<string> = new Set(
  globalOptions
    .filter((option) => option.flags.includes("<"))
    .flatMap((option) => option.flags.replace(/ <.*/, "").split(", ")),
);

/** Long and short names of all global options. */
export const globalNames: ReadonlySet<string> = new Set(
  globalOptions.flatMap((option) => option.flags.replace(/ <.*/, "").split(", ")),
);

/** The names that commander gives the values of global options. */
export const globalKeys: ReadonlySet<string> = new Set(
  globalOptions.map(({ flags }) => new Option(flags).attributeName()),
);

/** The help group of the global options. */
export const globalOptionsGroup = "Global options:";

/** Adds the global options to a command. */
export function addGlobalOptions(command: Command): Command {
  for (const { flags, about, values } of globalOptions) {
    const option = new Option(flags, about).helpGroup(globalOptionsGroup);
    if (values) option.choices(values);
    command.addOption(option);
  }
  command.helpOption("-h, --help", "show this help");
  return command;
}

/** Reads the global options off a parsed command; those not given are absent. */
export function readGlobalOptions(command: Command): GlobalOptions {
  const given: Record<string, unknown> = {};
  for (const name of globalKeys)
    if (command.getOptionValueSource(name) === "cli") given[name] = command.getOptionValue(name);
  return given;
}
