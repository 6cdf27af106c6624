import { homedir } from "node:os";
import { accountHash } from "../../config/account-hash.ts";
import { profileNames } from "../../config/config-file.ts";
import {
  type Config,
  type Folders,
  folders,
  readConfig,
  readCredentials,
  resolveAccount,
  resolveSettings,
  type Sources,
} from "../../config/index.ts";
import { joinPath, rooted } from "../../decks/match.ts";
import { type KnownDeck, type KnownTemplate, readSnapshot, type Snapshot } from "../../decks/snapshot.ts";
import { visible } from "../../output/sanitize.ts";

/** A word that a shell may offer, and what it is. */
export interface Candidate {
  readonly word: string;
  readonly about: string;
}

export type NameKind = "decks" | "trashed-decks" | "templates" | "profiles";

/**
 * The names of an account as they are cached on this machine: two small files are read, nothing is requested.
 *
 * @param profile the profile named on the command line, if any
 */
export function cachedNames(kind: NameKind, profile: string | undefined): Candidate[] {
  const places = folders(process.env, process.platform, homedir());
  if (kind === "profiles") return profiles(readConfig(places.config).config);
  return namesOf(kind, cacheOf(profile, places));
}

function cacheOf(profile: string | undefined, places: Folders): Snapshot {
  const { config, problem } = readConfig(places.config);
  const sources: Sources = {
    options: profile === undefined ? {} : { profile },
    // In CI as well: nothing is written.
    env: { ...process.env, CI: "" },
    config,
    configProblem: problem,
    credentials: () => readCredentials(places.config, process.platform),
  };
  const account = resolveAccount(sources, resolveSettings(sources));
  return readSnapshot(places.cache, accountHash(account));
}

function profiles(config: Config): Candidate[] {
  return profileNames(config).map((word) => ({ word, about: "profile" }));
}

function namesOf(kind: Exclude<NameKind, "profiles">, cache: Snapshot): Candidate[] {
  switch (kind) {
    case "decks":
      return deckNames(cache.decks, false);
    case "trashed-decks":
      return deckNames(cache.decks, true);
    case "templates":
      return templateNames(cache.templates);
  }
}

/**
 * Decks by path: with a leading slash if a root deck shares its name with another deck or looks like an option, by id if
 * two decks share the path. A name means a live deck before a trashed one.
 */
function deckNames(decks: readonly KnownDeck[], trashed: boolean): Candidate[] {
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
    .flatMap(({ deck, path }) => byName(path, deck.id, paths.get(path) === 1))
    .sort((a, b) => (a.word < b.word ? -1 : 1));
}

/** Templates by name, or by id if two share the name or it looks like an option. */
function templateNames(templates: readonly KnownTemplate[]): Candidate[] {
  const names = counted(templates.map(({ name }) => name));
  return templates.flatMap(({ id, name }) =>
    byName(name, id, names.get(name) === 1 && !name.startsWith("-")),
  );
}

function counted(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

function pathOf(deck: KnownDeck, byId: ReadonlyMap<string, KnownDeck>): string {
  const path: string[] = [];
  for (
    let each: KnownDeck | undefined = deck;
    each !== undefined && path.length < 100;
    each = byId.get(each.parent ?? "")
  )
    path.unshift(each.name);
  return joinPath(path);
}

/** By name if that is unambiguous and can be typed, else by id. */
const byName = (name: string, id: string, clear: boolean): Candidate[] =>
  clear && isTypeable(name) ? candidate(name, id) : candidate(id, name);

/** Names come from a service. One with control characters cannot be completed. */
const isTypeable = (text: string) => text !== "" && visible(text) === text && !/[\t\n]/.test(text);

const candidate = (word: string, about: string): Candidate[] =>
  isTypeable(word) ? [{ word, about: visible(about).replace(/\s+/g, " ") }] : [];
