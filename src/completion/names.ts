import { homedir } from "node:os";
import { accountHash } from "../config/account-hash.ts";
import {
  folders,
  readConfig,
  readCredentials,
  resolveAccount,
  resolveSettings,
  type Sources,
} from "../config/index.ts";
import { type CachedDeck, readNameCache } from "../config/names/cache.ts";
import { joinPath, rooted } from "../config/names/match.ts";
import { visible } from "../output/sanitize.ts";

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
  if (kind === "decks") return deckLines(cache.decks);
  if (kind === "templates") return cache.templates.map(({ id, name }) => line(name, id));
  if (kind === "cards") return cache.cards.map(({ id, name }) => line(id, name));
  return [];
}

/**
 * Live decks by their path: with a slash in front where one at the root shares its name with another deck or looks like
 * an option, by their ids where two share the path.
 */
function deckLines(decks: readonly CachedDeck[]): string[] {
  const byId = new Map(decks.map((deck) => [deck.id, deck]));
  const live = decks.filter((deck) => !deck.trashed);
  const names = counted(live.map(({ name }) => name));
  const found = live.map((deck) => {
    const path = pathOf(deck, byId);
    const clear = names.get(deck.name) === 1 && !path.startsWith("-");
    return { id: deck.id, path: clear ? path : rooted(path) };
  });
  const paths = counted(found.map(({ path }) => path));
  return found.map(({ id, path }) => (paths.get(path) === 1 ? line(path, id) : line(id, path))).sort();
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

/** Names come from a service: what could drive the terminal is made visible, and then it is no name to complete. */
function line(text: string, about: string): string {
  const name = visible(text);
  return name === text && !/[\t\n]/.test(text) && text !== ""
    ? `${text}\t${visible(about).replace(/\s+/g, " ")}\n`
    : "";
}
