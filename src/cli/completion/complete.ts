import { homedir } from "node:os";
import type { Argument, Command, Option } from "commander";
import { accountHash } from "../../config/account-hash.ts";
import { profileNames } from "../../config/config-file.ts";
import {
  folders,
  readConfig,
  readCredentials,
  resolveAccount,
  resolveSettings,
  type Sources,
} from "../../config/index.ts";
import { type Setting, settingNames, settings } from "../../config/settings.ts";
import { joinPath, rooted } from "../../decks/match.ts";
import { type KnownDeck, type KnownTemplate, readSnapshot } from "../../decks/snapshot.ts";
import { visible } from "../../output/sanitize.ts";
import { outcomes } from "../../schema/today.ts";
import { findCommand, findNoun, type Invocation, splitLine } from "../find.ts";
import { isHidden } from "../help/text.ts";
import { commandNamed } from "../program.ts";

/**
 * `deckhand __complete <word>...`, which the completion scripts run: prints what the last word may be, one candidate a
 * line with its meaning after a tab, or a line `:files` where the shell is to complete file names. Whatever fails, it
 * prints nothing: a completion must not disturb the line that is typed.
 */
export async function printCompletions(
  words: readonly string[],
  write: (text: string) => void,
): Promise<void> {
  const offer = await completions(words).catch((): Offer => []);
  if (offer === "files") write(":files\n");
  else write(offer.map(({ word, about }) => `${word}\t${about}\n`).join(""));
}

/** What the last of the words may be, as far as it is typed. */
export async function completions(words: readonly string[]): Promise<Offer> {
  const typed = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const isHelp = before.find((word) => !word.startsWith("-")) === "help";
  const offer = await offerAfter(isHelp ? before.filter((word) => word !== "help") : before, typed);
  return offer === "files" ? offer : offer.filter(({ word }) => word.startsWith(typed));
}

async function offerAfter(before: readonly string[], typed: string): Promise<Offer> {
  const invocation = findCommand(before);
  const noun = invocation.noun === undefined ? undefined : findNoun(invocation.noun);
  // An unknown command has nothing to complete.
  if (invocation.noun !== undefined && noun === undefined) return [];
  const command = await commandNamed(invocation);
  const position = positionIn(invocation.rest, command);
  const values = valuesIn(invocation, position);
  if (position.option !== undefined) return values(position.option);
  if (!position.ended && typed.startsWith("-")) {
    const inside = valueInside(typed, command);
    if (inside === undefined) return optionWords(command);
    return prefixed(values(inside.option), inside.lead);
  }
  const verbs =
    command.parent === null || position.arguments.length === 0 ? verbWords(invocation, command) : [];
  const argument = argumentAt(command, position.arguments.length);
  const own = argument === undefined || command.commands.length > 0 ? [] : values(argument);
  if (own !== "files") {
    const isOne = [...verbs, ...own].some(({ word }) => word.startsWith(typed));
    return !isOne && argument?.name() === "deck|folder" ? "files" : [...verbs, ...own];
  }
  // A shell completes files or words. What begins like a verb is most likely one: `sync sta`.
  return typed !== "" && verbs.some(({ word }) => word.startsWith(typed)) ? verbs : own;
}

interface Position {
  /** The option whose value comes next. */
  readonly option: Option | undefined;
  readonly arguments: readonly string[];
  /** Whether `--` was typed: no options follow. */
  readonly ended: boolean;
  readonly profile: string | undefined;
}

/** Where the words have led, by the options that commander knows. */
function positionIn(words: readonly string[], command: Command): Position {
  const options = (name: string) => optionNamed(name, command);
  const parsed = [...splitLine(words, (name) => takesValue(options(name)))];
  const last = parsed.at(-1);
  const open = last?.apart === true && last.value === undefined ? last.options.at(-1) : undefined;
  return {
    option: open === undefined ? undefined : options(open),
    arguments: parsed.flatMap((word) => (word.options.length === 0 ? [word.text] : [])),
    ended: words.includes("--"),
    profile: parsed.findLast((word) => word.options.includes("--profile"))?.value,
  };
}

/**
 * Completes the value of an option or an argument of this command, by its choices or by the name of its placeholder, which
 * means the same in every command.
 */
function valuesIn({ noun, verb }: Invocation, { arguments: before, profile }: Position) {
  const path = `${noun} ${verb}`;
  return (what: Option | Argument): Offer => {
    const placeholder = placeholderOf(what);
    const option = "long" in what ? (what.long ?? what.short) : undefined;
    if (what.argChoices !== undefined) return words(what.argChoices);
    if (path === "config set" && placeholder === "value") return settingValues(before.at(-1), profile);
    if (path === "due answer" && option === undefined && before.length > 0) return words(outcomes);
    if (placeholder === "setting") return words(settingNames);
    if (placeholder === "method") return words(["GET", "POST", "DELETE"]);
    // The paths of `api` and --base-path are those of addresses.
    if (placeholder === "path" && (option === undefined || option === "--base-path")) return [];
    if (/^(file|path|folder)(\||$)/.test(placeholder)) return "files";
    if (option === "--profile" || placeholder === "profile") return cachedNames("profiles", profile);
    if (/^deck\b/.test(placeholder)) return cachedNames("decks", profile);
    if (/^template\b/.test(placeholder)) return cachedNames("templates", profile);
    return /^[\w-]+(\|[\w-]+)+$/.test(placeholder) ? words(placeholder.split("|")) : [];
  };
}

const placeholderOf = (what: Option | Argument): string =>
  "flags" in what ? (/[<[](.+?)[>\]]/.exec(what.flags)?.[1] ?? "").replace(/\.\.\.$/, "") : what.name();

const takesValue = (option: Option | undefined): boolean => option?.required || option?.optional || false;

function optionNamed(word: string, command: Command): Option | undefined {
  return command.options.find(({ short, long }) => short === word || long === word);
}

/** The option whose value is in the same word: `--deck=x`, `-dx`. */
function valueInside(typed: string, command: Command): { option: Option; lead: string } | undefined {
  const lead = typed.startsWith("--") ? (/^--[^=]+=/.exec(typed)?.[0] ?? "") : typed.slice(0, 2);
  if (lead === "" || lead === typed.slice(0, 1) || (typed.length <= 2 && !typed.startsWith("--")))
    return undefined;
  const option = optionNamed(lead.replace(/=$/, ""), command);
  return option !== undefined && takesValue(option) ? { option, lead } : undefined;
}

const prefixed = (offer: Offer, lead: string): Offer =>
  offer === "files" ? offer : offer.map(({ word, about }) => ({ word: lead + word, about }));

function optionWords(command: Command): Candidate[] {
  const own = command.options.filter(({ hidden }) => !hidden);
  return [...own, command.createOption("-h, --help", "show this help")].flatMap(
    ({ short, long, description }) =>
      [short, long].filter((name) => name != null).map((word) => ({ word, about: description })),
  );
}

/** The commands that may come next: nouns, or the verbs of a noun that is not followed by one. */
function verbWords({ noun, verb }: Invocation, command: Command): Candidate[] {
  if (command.commands.length > 0) {
    const own = command.commands.filter((each) => !isHidden(each));
    const about = "Show the help of a command, or a topic";
    const help = command.parent === null ? [{ word: "help", about }] : [];
    return [...own.map((each) => ({ word: each.name(), about: each.description() })), ...help];
  }
  const entry = noun === undefined ? undefined : findNoun(noun);
  if (entry?.defaultVerb === undefined || verb !== entry.defaultVerb) return [];
  return Object.entries(entry.verbs ?? {}).flatMap(([word, { about, hidden }]) =>
    hidden ? [] : [{ word, about }],
  );
}

function argumentAt(command: Command, index: number): Argument | undefined {
  const last = command.registeredArguments.at(-1);
  return command.registeredArguments[index] ?? (last?.variadic ? last : undefined);
}

/** What a shell offers: words, or the names of files. */
type Offer = readonly Candidate[] | "files";

const words = (list: readonly string[]): Candidate[] => list.map((word) => ({ word, about: "" }));

function settingValues(given: string | undefined, profile: string | undefined): Offer {
  const name = settingNames.find((each) => each === given);
  if (name === undefined) return [];
  const { values } = settings[name] as Setting<never>;
  if (values !== undefined) return words(values);
  if (name === "deck") return cachedNames("decks", profile);
  return name === "profile" ? cachedNames("profiles", profile) : [];
}

/** A word that a shell may offer, and what it is. */
interface Candidate {
  readonly word: string;
  readonly about: string;
}

type NameKind = "decks" | "templates" | "profiles";

/**
 * The names of an account as they are cached on this machine: two small files are read, nothing is requested.
 *
 * @param profile the profile named on the command line, if any
 */
function cachedNames(kind: NameKind, profile: string | undefined): Candidate[] {
  const places = folders(process.env, process.platform, homedir());
  const { config, problem } = readConfig(places.config);
  if (kind === "profiles") return profileNames(config).map((word) => ({ word, about: "profile" }));
  const sources: Sources = {
    options: profile === undefined ? {} : { profile },
    // In CI as well: nothing is written.
    env: { ...process.env, CI: "" },
    config,
    configProblem: problem,
    credentials: () => readCredentials(places.config, process.platform),
  };
  const account = resolveAccount(sources, resolveSettings(sources));
  const { decks, templates } = readSnapshot(places.cache, accountHash(account));
  if (kind === "templates") return typed(templates);
  const live = decks.filter((deck) => !deck.trashed);
  const isAlone = oneOf(live.map(({ name }) => name));
  const byId = new Map(decks.map((deck) => [deck.id, deck]));
  const paths = live.map((deck) => {
    const path = pathOf(deck, byId);
    return { id: deck.id, name: isAlone(deck.name) && !path.startsWith("-") ? path : rooted(path) };
  });
  return typed(paths).sort((a, b) => (a.word < b.word ? -1 : 1));
}

/** What is typed for each: its name, or its id where others have the name or it cannot be typed. */
function typed(items: readonly KnownTemplate[]): Candidate[] {
  const isAlone = oneOf(items.map(({ name }) => name));
  return items.map(({ id, name }) => {
    const shown = visible(name).replace(/\s+/g, " ");
    const isTypeable = name !== "" && shown === name && !name.startsWith("-");
    return isTypeable && isAlone(name) ? { word: name, about: id } : { word: id, about: shown };
  });
}

function oneOf(texts: readonly string[]): (text: string) => boolean {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return (text) => counts.get(text) === 1;
}

function pathOf(deck: KnownDeck, byId: ReadonlyMap<string, KnownDeck>): string {
  const path: string[] = [];
  for (let each: KnownDeck | undefined = deck; each && path.length < 100; each = byId.get(each.parent ?? ""))
    path.unshift(each.name);
  return joinPath(path);
}
