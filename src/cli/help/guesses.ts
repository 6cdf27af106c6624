import { nearest } from "../../nearest.ts";
import { findNoun } from "../find.ts";
import { commandTree } from "../tree.ts";

/** What people type for a verb of ours, by the words of other programs. */
const synonyms: Readonly<Record<string, string>> = {
  show: "get",
  view: "get",
  new: "create",
  add: "create",
  rename: "update",
  set: "update",
  remove: "delete",
  rm: "delete",
  del: "delete",
  find: "search",
  ls: "list",
};

/** The commands that a word means which is no command of its noun, as they are typed after `deckhand`. */
const elsewhere: Readonly<Record<string, readonly string[]>> = {
  search: ["cards search <query>"],
  show: ["cards get <card>", "decks get <deck>"],
  view: ["cards get <card>", "decks get <deck>"],
  undo: ["due undo", "cards restore <card>", "import undo"],
  new: ["add", "decks create <name>"],
  create: ["add", "decks create <name>"],
  delete: ["cards trash <card>", "cards delete <card>"],
  remove: ["cards trash <card>", "cards delete <card>"],
  rm: ["cards trash <card>", "cards delete <card>"],
  rename: ["decks update <deck> --name <name>", "tags rename"],
  study: ["review"],
  practice: ["review --practice"],
  status: ["auth status", "doctor"],
  // Words of Anki. What is skipped in a review comes back as what is buried there.
  suspend: ["cards archive <card>"],
  unsuspend: ["cards unarchive <card>"],
  bury: ["review", "cards archive <card>"],
  flag: ["cards update <card> --add-tag <tag>"],
  "cards suspend": ["cards archive <card>"],
  "cards bury": ["cards archive <card>"],
  "cards flag": ["cards update <card> --add-tag <tag>"],
  "decks suspend": ["decks archive <deck>"],
  "cards tag": ["cards update <card> --add-tag <tag>"],
  "decks move": ["decks update <deck> --parent <deck>"],
  "decks rename": ["decks update <deck> --name <name>"],
  "tags add": ["cards update <card> --add-tag <tag>"],
  "tags delete": ["tags remove <tag>"],
  "trash restore": ["cards restore <card>", "decks restore <deck>"],
  "attach delete": ["attach remove <card> <file-name>"],
  "attach download": ["attach get <card> <file-name>"],
};

/**
 * The commands that were probably meant, at most two, as they are typed after `deckhand`.
 *
 * @param noun the noun that the word follows; undefined for the first word
 * @param names the commands that could be here
 * @param rest the words after it
 */
export function meantCommands(
  word: string,
  noun: string | undefined,
  names: readonly string[],
  rest: readonly string[],
): readonly string[] {
  if (noun === undefined && word === "restore" && rest.some((each) => /\.tar$/i.test(each)))
    return ["backup restore <file>"];
  const known = own(elsewhere, noun === undefined ? word : `${noun} ${word}`);
  if (known !== undefined) return known;
  const synonym = own(synonyms, word) ?? word;
  if (noun === undefined) {
    const verbs = withVerb(word);
    if (verbs.length > 0) return verbs;
  }
  const near = names.includes(synonym) ? synonym : nearest(word, names);
  if (near !== undefined) return [noun === undefined ? near : `${noun} ${near}`];
  // `cards review`, `decks export`.
  if (noun !== undefined) return findNoun(word) === undefined || word === noun ? [] : [word];
  return withVerb(synonym).slice(0, 2);
}

/** The value of a word that somebody typed, which may be `constructor`. */
const own = <T>(table: Readonly<Record<string, T>>, word: string): T | undefined =>
  Object.hasOwn(table, word) ? table[word] : undefined;

/** The commands with this verb: those of cards and decks first. */
function withVerb(verb: string): string[] {
  const nouns = [...new Set(["cards", "decks", ...Object.keys(commandTree)])].filter((noun) => {
    const entry = own(commandTree[noun]?.verbs ?? {}, verb);
    return entry !== undefined && entry.hidden !== true;
  });
  return nouns.slice(0, 2).map((noun) => `${noun} ${verb}`);
}
