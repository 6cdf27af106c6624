import type {
  Argument as TypedArgument,
  Command as TypedCommand,
  Option as TypedOption,
} from "@commander-js/extra-typings";
import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { globalKeys } from "../../cli/options.ts";
import type { Context, StartContext } from "../../context/context.ts";
import { UsageError } from "../../errors.ts";

/**
 * Begins the declaration of a command: the types of its arguments and options are inferred from what follows. Its name is
 * that in the tree of commands.
 *
 * @param text what it does, and after empty lines notes and, indented, examples
 */
export function declare(text: string): TypedCommand {
  const [about = "", ...more] = text.split("\n\n");
  const command = new Command().description(about.replaceAll("\n", " "));
  const paragraphs = more.map((each) => each.replace(/^(?= )/, "Examples:\n"));
  if (more.length > 0) command.addHelpText("after", `\n${paragraphs.join("\n\n")}`);
  return command as unknown as TypedCommand;
}

interface Declared<Args extends unknown[], Opts extends object> {
  opts(): Opts;
  readonly processedArgs: Args;
}

/** An option with choices or conflicts, for `addOption`. */
export const option = <F extends string>(flags: F, about: string): TypedOption<F> =>
  new Option(flags, about) as unknown as TypedOption<F>;

/** An argument with choices, for `addArgument`. */
export const argument = <F extends string>(name: F, about: string): TypedArgument<F> =>
  new Argument(name, about) as unknown as TypedArgument<F>;

export type OptionsOf<D extends () => { opts(): object }> = ReturnType<ReturnType<D>["opts"]>;

/** The same as code gives them: each may be missing, and a flag may be false. */
export type LooseOptionsOf<D extends () => { opts(): object }> = Loose<OptionsOf<D>>;

type Loose<T> = {
  readonly [K in keyof T]?: (T[K] extends true | undefined ? boolean : T[K]) | undefined;
};

/** A command as a value: what it declares, and what it does with its arguments, its options and a context. */
export function command<Args extends unknown[], Opts extends object>(
  declared: () => Declared<Args, Opts>,
  run: (...all: [...Args, Opts, Context]) => Promise<void>,
): (start: StartContext) => Command {
  return (start) => {
    const built = declared() as unknown as Command;
    return built.action((...all: unknown[]) => run(...(all.slice(0, -1) as [...Args, Opts]), start(built)));
  };
}

/** Option values are checked when they are parsed; an error names the option. */
export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER) {
  return (text: string): number => {
    const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number${rangeFor(min, max)}.`);
  };
}

function rangeFor(min: number, max: number): string {
  if (max < Number.MAX_SAFE_INTEGER) return ` from ${min} to ${max}`;
  return min > Number.MIN_SAFE_INTEGER ? ` of at least ${min}` : "";
}

export const integer = wholeNumber(Number.MIN_SAFE_INTEGER);

/** A value as `parse` reads it. @param mustBe completes "It must be …" where that is undefined */
export const valid =
  <T>({ parse, mustBe }: { parse(text: string): T | undefined; readonly mustBe: string }) =>
  (text: string): T => {
    const value = parse(text);
    if (value === undefined) throw new InvalidArgumentError(`It must be ${mustBe}.`);
    return value;
  };

export const collect = (value: string, previous: readonly string[] | undefined): readonly string[] => [
  ...(previous ?? []),
  value,
];

/** The same for tags, of which one value may hold several: a comma ends a tag, as for the labels of other programs. */
export const collectTags = (value: string, previous: readonly string[] | undefined): readonly string[] => [
  ...(previous ?? []),
  ...value.split(","),
];

/** Refuses options that exclude each other, by what help calls them: `oneOf({"--deck": deck, "--deck-id": deckId})`. */
export function oneOf(given: Readonly<Record<string, unknown>>): void {
  const names = Object.keys(given);
  if (names.filter((name) => given[name] !== undefined).length > 1)
    throw new UsageError(`${names.slice(0, -1).join(", ")} and ${names.at(-1)} exclude each other`);
}

export function assignment(text: string, option: string): readonly [name: string, value: string] {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidArgumentError(`${option} takes <name>=<value>, not ${JSON.stringify(text)}.`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** A value as it is meant: `true`, `false`, `null` and numbers are these, everything else is text. */
export function typedValue(text: string): string | number | boolean | null {
  if (text === "true" || text === "false") return text === "true";
  if (text === "null") return null;
  // As JSON has numbers: 007 and 0x10 are text. What a number cannot hold exactly stays text, too.
  if (!/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return text;
  const value = Number(text);
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value)) ? value : text;
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** A body without what is undefined: absent is absent, false and null are values. */
export const defined = <T extends object>(fields: T): Defined<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;

/** The options of a command's own that were given, by commander's names. */
export const ownOptionsIn = (options: object): string[] =>
  Object.keys(defined(options)).filter((name) => !globalKeys.has(name));
