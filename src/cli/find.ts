import { globalsWithValue } from "./options.ts";
import { type CommandTree, commandTree, type NounEntry, type VerbEntry } from "./tree.ts";

/** The command that a command line names. */
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
  const rest: string[] = [];
  let noun: string | undefined;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? "";
    if (word === "--") {
      rest.push(...words.slice(index));
      break;
    }
    if (word.startsWith("-") && word !== "-") {
      rest.push(word);
      if (globalsWithValue.has(word) && index + 1 < words.length) {
        index += 1;
        rest.push(words[index] ?? "");
      }
      continue;
    }
    const after = words.slice(index + 1);
    if (noun === undefined) {
      noun = word;
      if (findNoun(word, tree)?.verbs === undefined)
        return { noun, verb: undefined, rest: [...rest, ...after] };
      continue;
    }
    const entry = findNoun(noun, tree);
    if (entry?.defaultVerb !== undefined && findVerb(entry, word) === undefined)
      return { noun, verb: entry.defaultVerb, rest: [...rest, word, ...after] };
    return { noun, verb: word, rest: [...rest, ...after] };
  }
  return { noun, verb: noun === undefined ? undefined : findNoun(noun, tree)?.defaultVerb, rest };
}

/** The noun of a name or an alias. */
export function findNoun(word: string, tree: CommandTree = commandTree): NounEntry | undefined {
  return Object.hasOwn(tree, word)
    ? tree[word]
    : Object.values(tree).find((entry) => entry.aliases?.includes(word));
}

/** The verb of a name or an alias. */
export function findVerb(noun: NounEntry, word: string): VerbEntry | undefined {
  const verbs = noun.verbs ?? {};
  return Object.hasOwn(verbs, word)
    ? verbs[word]
    : Object.values(verbs).find((verb) => verb.aliases?.includes(word));
}

/** The name of an entry in its table. */
export function nameOf(table: { readonly [name: string]: unknown }, entry: unknown): string {
  return Object.keys(table).find((name) => table[name] === entry) ?? "";
}
