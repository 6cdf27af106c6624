import type { Argument, Command, Option } from "commander";
import { type Setting, settingNames, settings } from "../../config/settings.ts";
import { isHidden } from "../help/hidden.ts";

/** What a value may be, as far as a shell can complete it. */
export type Completes =
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "names"; readonly of: NameKind }
  | { readonly kind: "files" }
  /** Told by the argument before it. */
  | { readonly kind: "after"; readonly values: Readonly<Record<string, Completes>> }
  | { readonly kind: "text" };
export type NameKind = "decks" | "trashed-decks" | "templates" | "cards" | "profiles";

export interface OptionModel {
  /** `-o`, `--output`: the short one first. */
  readonly names: readonly string[];
  readonly about: string;
  /** Undefined for a flag. */
  readonly value: Completes | undefined;
  /** What the value is called in help. */
  readonly placeholder: string;
  readonly repeatable: boolean;
}

/** A command as shells know it. */
export interface CommandModel {
  /** The words that name it: `cards list`; none for the program itself. */
  readonly path: readonly string[];
  /** What its last word may also be. */
  readonly aliases: readonly string[];
  readonly about: string;
  readonly options: readonly OptionModel[];
  /** What stands behind the words, one by one; the last one for all that follow if it repeats. */
  readonly positionals: readonly (Completes & { readonly placeholder: string; readonly repeats: boolean })[];
  readonly verbs: readonly { readonly name: string; readonly about: string }[];
}

/** What the command tree knows of a noun or a verb besides what is declared to commander. */
interface TreeEntry {
  readonly aliases?: readonly string[];
  /** The verb that a noun stands for by itself: what that takes, the noun takes, too. */
  readonly defaultVerb?: string;
  readonly verbs?: Readonly<Record<string, TreeEntry>>;
}

/** The commands of the program, itself first. Hidden ones are left out. */
export function completionModel(program: Command, tree: Readonly<Record<string, TreeEntry>>): CommandModel[] {
  const visit = (command: Command, path: readonly string[]): CommandModel[] => {
    const [noun = "", verb] = path;
    const entry = verb === undefined ? tree[noun] : tree[noun]?.verbs?.[verb];
    const byItself = entry?.defaultVerb;
    const self = command.commands.find((each) => each.name() === byItself) ?? command;
    const children = command.commands.filter((each) => !isHidden(each) && each.name() !== "help");
    // Between a noun and its verb stand the options that every command has.
    const options =
      path.length === 1 && self.commands.length > 0
        ? program.options.filter(({ long }) => long !== "--version")
        : self.options;
    const own: CommandModel = {
      path,
      aliases: entry?.aliases ?? [],
      about: firstSentence(command.description()),
      options: [...options.filter((option) => !option.hidden).map(optionModel), help],
      positionals: self.registeredArguments.map((argument) => positionalModel(argument, path)),
      verbs: children.map((each) => ({ name: each.name(), about: firstSentence(each.description()) })),
    };
    return [own, ...children.flatMap((each) => visit(each, [...path, each.name()]))];
  };
  return visit(program, []);
}

const help: OptionModel = {
  names: ["-h", "--help"],
  about: "show this help",
  value: undefined,
  placeholder: "",
  repeatable: false,
};

function optionModel(option: Option): OptionModel {
  const placeholder = /[<[](.+?)[>\]]/.exec(option.flags)?.[1] ?? "";
  return {
    names: [option.short, option.long].filter((name) => name != null),
    about: option.description,
    value: placeholder === "" ? undefined : completes(placeholder, option.argChoices, option.long),
    placeholder,
    repeatable: /repeatable/.test(option.description),
  };
}

function positionalModel(argument: Argument, path: readonly string[]) {
  const placeholder = argument.name();
  const found = completes(placeholder, argument.argChoices, undefined);
  return {
    ...(ofCommand[`${path.join(" ")} ${placeholder}`] ?? found),
    placeholder,
    repeats: argument.variadic,
  };
}

/** Told by the name of the value: the names that help pages use are the same everywhere. */
function completes(
  placeholder: string,
  choices: readonly string[] | undefined,
  option: string | undefined,
): Completes {
  if (choices !== undefined) return { kind: "words", words: choices };
  if (placeholder === "method") return { kind: "words", words: ["GET", "POST", "DELETE"] };
  if (placeholder === "setting") return { kind: "words", words: settingNames };
  // A path as an argument, of `api`, or of `--base-path` is one of addresses.
  if (placeholder === "path" && (option === undefined || option === "--base-path")) return { kind: "text" };
  if (/^(file|path|folder)(\||$)/.test(placeholder)) return { kind: "files" };
  if (/^deck\b/.test(placeholder)) return { kind: "names", of: "decks" };
  if (/^template\b/.test(placeholder)) return { kind: "names", of: "templates" };
  if (/^card\b/.test(placeholder)) return { kind: "names", of: "cards" };
  if (option === "--profile" || placeholder === "profile") return { kind: "names", of: "profiles" };
  if (/^[\w-]+(\|[\w-]+)+$/.test(placeholder)) return { kind: "words", words: placeholder.split("|") };
  return { kind: "text" };
}

/** What the settings that have only some values may be. */
function settingValues(): Completes {
  const some = settingNames.flatMap((name): [string, Completes][] => {
    const { values } = settings[name] as Setting<never>;
    if (values !== undefined) return [[name, { kind: "words", words: values }]];
    const of = name === "deck" ? "decks" : name === "profile" ? "profiles" : undefined;
    return of === undefined ? [] : [[name, { kind: "names", of }]];
  });
  return { kind: "after", values: Object.fromEntries(some) };
}

/** Arguments that mean something else than their name says everywhere else. */
const ofCommand: Readonly<Record<string, Completes>> = {
  "decks restore deck": { kind: "names", of: "trashed-decks" },
  "config set value": settingValues(),
};

const firstSentence = (text: string) => /^.*?(?=[.;:] |[.;:]?$)/s.exec(text.replace(/\s+/g, " "))?.[0] ?? "";
