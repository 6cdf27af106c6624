import { globalsWithValue } from "./options.ts";
import { type CommandTree, commandTree, type NounEntry, type VerbEntry } from "./tree.ts";

/** A word of a command line: the option or options in it with the value of the last one, or anything else. */
interface Word {
  readonly text: string;
  readonly index: number;
  /** The names of the options: `-q` and `-o` of `-qo`; none for an argument. */
  readonly options: readonly string[];
  /** The value of the last option, from the same word or the next one; undefined if it takes none or it is missing. */
  readonly value?: string | undefined;
  /** Whether the value is the next word. */
  readonly apart?: boolean;
  /** Whether `--` came before it. */
  readonly ended?: boolean;
}

/** Splits a command line into options with their values and other words; `--` itself is left out. */
export function* splitLine(
  words: readonly string[],
  takesValue: (option: string) => boolean = (option) => globalsWithValue.has(option),
): Generator<Word> {
  let ended = false;
  for (let index = 0; index < words.length; index += 1) {
    const text = words[index] ?? "";
    if (ended || text === "-" || !text.startsWith("-")) yield { text, index, options: [], ended };
    else if (text === "--") ended = true;
    else {
      const { options, value } = optionsIn(text, takesValue);
      const apart = value === undefined && takesValue(options.at(-1) ?? "");
      yield apart
        ? { text, index, options, apart, value: words[index + 1] }
        : { text, index, options, value };
      if (apart) index += 1;
    }
  }
}

/** `--name=value`, or short flags of which the last may have its value in the same word: `-qojson`. */
function optionsIn(text: string, takesValue: (option: string) => boolean): Pick<Word, "options" | "value"> {
  if (text.startsWith("--")) {
    const at = text.indexOf("=");
    return at < 0 ? { options: [text] } : { options: [text.slice(0, at)], value: text.slice(at + 1) };
  }
  const options: string[] = [];
  for (let at = 1; at < text.length; at += 1) {
    options.push(`-${text[at]}`);
    if (takesValue(`-${text[at]}`))
      return { options, value: at + 1 < text.length ? text.slice(at + 1) : undefined };
  }
  return { options };
}

export interface Invocation {
  readonly noun: string | undefined;
  readonly verb: string | undefined;
  /** All other words, in order. */
  readonly rest: readonly string[];
}

/**
 * Finds noun and verb among the words without parsing them, so that only the named command has to be loaded. A word
 * that is not a verb, after a noun with a default verb, is an argument of that verb (`deckhand due Spanish`).
 */
export function findCommand(words: readonly string[], tree: CommandTree = commandTree): Invocation {
  const named = [...splitLine(words)].filter(({ options, ended }) => options.length === 0 && ended !== true);
  const without = (...found: readonly number[]) => words.filter((_, index) => !found.includes(index));
  const [first, second] = named;
  if (first === undefined) return { noun: undefined, verb: undefined, rest: words };
  const noun = first.text;
  const entry = findNoun(noun, tree);
  if (entry?.verbs === undefined) return { noun, verb: undefined, rest: without(first.index) };
  if (second === undefined || (entry.defaultVerb !== undefined && findVerb(entry, second.text) === undefined))
    return { noun, verb: entry.defaultVerb, rest: without(first.index) };
  return { noun, verb: second.text, rest: without(first.index, second.index) };
}

/** The noun of a name, also in the singular. */
export function findNoun(word: string, tree: CommandTree = commandTree): NounEntry | undefined {
  const name = [word, `${word}s`].find((each) => Object.hasOwn(tree, each));
  return name === undefined ? undefined : tree[name];
}

const shortNames: Readonly<Record<string, readonly string[]>> = { ls: ["list"], rm: ["delete", "remove"] };

/** The verb of a name or a short name. */
export function findVerb({ verbs = {} }: NounEntry, word: string): VerbEntry | undefined {
  const others = Object.hasOwn(shortNames, word) ? (shortNames[word] ?? []) : [];
  const name = [word, ...others].find((each) => Object.hasOwn(verbs, each));
  return name === undefined ? undefined : verbs[name];
}

/** The name of an entry in its table. */
export function nameOf(table: { readonly [name: string]: unknown }, entry: unknown): string {
  return Object.keys(table).find((name) => table[name] === entry) ?? "";
}
