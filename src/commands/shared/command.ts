import type {
  Argument as TypedArgument,
  Command as TypedCommand,
  Option as TypedOption,
} from "@commander-js/extra-typings";
import { Argument, Command, Option } from "commander";
import type { Context, StartContext } from "../../context/context.ts";

/**
 * Begins the declaration of a command: the types of its arguments and options are inferred from what follows. Its name is
 * that in the tree of commands.
 *
 * @param text what it does, and after an empty line notes and examples
 */
export const declare = (text: string): TypedCommand => described(text) as unknown as TypedCommand;

/** As `declare`, for commands that share declarations: their types are written down, as `Declared`. */
export function described(text: string): Command {
  const [about = "", ...more] = text.split("\n\n");
  const command = new Command().description(about.replaceAll("\n", " "));
  if (more.length > 0) command.addHelpText("after", `\n${more.join("\n\n")}`);
  return command;
}

/** A declaration with its types. */
export interface Declared<Args extends unknown[], Opts extends object> {
  opts(): Opts;
  readonly processedArgs: Args;
}

/** An option with choices or conflicts, for `addOption`. */
export const option = <F extends string>(flags: F, about: string): TypedOption<F> =>
  new Option(flags, about) as unknown as TypedOption<F>;

/** An argument with choices, for `addArgument`. */
export const argument = <F extends string>(name: F, about: string): TypedArgument<F> =>
  new Argument(name, about) as unknown as TypedArgument<F>;

/** The options of a declaration. */
export type OptionsOf<D extends () => { opts(): object }> = ReturnType<ReturnType<D>["opts"]>;

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
