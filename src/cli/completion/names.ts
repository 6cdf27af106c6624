import { homedir } from "node:os";
import { accountHash } from "../../config/account-hash.ts";
import {
  folders,
  readConfig,
  readCredentials,
  resolveAccount,
  resolveSettings,
  type Sources,
} from "../../config/index.ts";
import { type CachedDeck, type CachedName, readNameCache } from "../../names/cache.ts";
import { joinPath, rooted } from "../../names/match.ts";
import { visible } from "../../output/sanitize.ts";

/**
 * The light entry point of the completion scripts: `deckhand __complete decks` prints what is known of the account in
 * use, or of the profile that the line names (`__complete decks work`), one name a line and what it is behind a tab. It
 * reads two small files and never sends a request. Whatever goes wrong, it prints nothing: a completion must not disturb.
 */
export function run(args: readonly string[] = process.argv.slice(3)): void {
  try {
    process.stdout.write(names(args[0] ?? "", args[1]).join(""));
  } catch {
    // Nothing to offer.
  }
}

function names(kind: string, profile: string | undefined): string[] {
  const places = folders(process.env, process.platform, homedir());
  const { config, problem } = readConfig(places.config);
  if (kind === "profiles")
    return [...new Set(["local", ...Object.keys(config.profiles)])].map((name) => line(name, "profile"));
  const sources: Sources = {
    options: profile === undefined ? {} : { profile },
    // Even in CI names may be completed: nothing is written.
    env: { ...process.env, CI: "" },
    config,
    configProblem: problem,
    credentials: () => readCredentials(places.config, process.platform),
  };
  const cache = readNameCache(places.cache, accountHash(resolveAccount(sources, resolveSettings(sources))));
  if (kind === "decks") return deckLines(cache.decks, false);
  if (kind === "trashed-decks") return deckLines(cache.decks, true);
  if (kind === "templates") return templateLines(cache.templates);
  if (kind === "cards") return cache.cards.map(({ id, name }) => line(id, name));
  return [];
}

/**
 * Decks by their path: with a slash in front where one at the root shares its name with another deck or looks like an
 * option, by their ids where two share the path. A name means a live deck before a trashed one.
 */
function deckLines(decks: readonly CachedDeck[], trashed: boolean): string[] {
  const byId = new Map(decks.map((deck) => [deck.id, deck]));
  const rivals = trashed ? decks : decks.filter((deck) => !deck.trashed);
  const names = counted(rivals.map(({ name }) => name));
  const found = rivals.map((deck) => {
    const path = pathOf(deck, byId);
    const clear = names.get(deck.name) === 1 && !path.startsWith("-");
    return { deck, path: clear ? path : rooted(path) };
  });
  const paths = counted(found.map(({ path }) => path));
  return found
    .filter(({ deck }) => (deck.trashed === true) === trashed)
    .map(({ deck, path }) => named(path, deck.id, paths.get(path) === 1))
    .sort();
}

/** Templates by their names, or by their ids where two share the name or it looks like an option. */
function templateLines(templates: readonly CachedName[]): string[] {
  const names = counted(templates.map(({ name }) => name));
  return templates.map(({ id, name }) => named(name, id, names.get(name) === 1 && !name.startsWith("-")));
}

function counted(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

function pathOf(deck: CachedDeck, byId: ReadonlyMap<string, CachedDeck>): string {
  const path: string[] = [];
  for (
    let each: CachedDeck | undefined = deck;
    each !== undefined && path.length < 100;
    each = byId.get(each.parent ?? "")
  )
    path.unshift(each.name);
  return joinPath(path);
}

/** What is completed by its name where that is clear, else by its id. */
const named = (name: string, id: string, clear: boolean) =>
  clear && isTypeable(name) ? line(name, id) : line(id, name);

/** Names come from a service: what could drive the terminal is made visible, and then it is no name to complete. */
const isTypeable = (text: string) => text !== "" && visible(text) === text && !/[\t\n]/.test(text);

const line = (text: string, about: string) =>
  isTypeable(text) ? `${text}\t${visible(about).replace(/\s+/g, " ")}\n` : "";
