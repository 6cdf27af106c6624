import { homedir } from "node:os";
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
import { joinPath, rooted } from "../../decks/match.ts";
import { type KnownDeck, readSnapshot } from "../../decks/snapshot.ts";
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
  if (kind === "templates") return typed(templates.map(({ id, name }) => ({ id, name, isOffered: true })));
  // A name means a live deck before a trashed one.
  const trashed = kind === "trashed-decks";
  const rivals = trashed ? decks : decks.filter((deck) => !deck.trashed);
  const isAlone = oneOf(rivals.map(({ name }) => name));
  const byId = new Map(decks.map((deck) => [deck.id, deck]));
  const paths = rivals.map((deck) => {
    const path = pathOf(deck, byId);
    const isClear = isAlone(deck.name) && !path.startsWith("-");
    const isOffered = (deck.trashed === true) === trashed;
    return { id: deck.id, name: isClear ? path : rooted(path), isOffered };
  });
  return typed(paths).sort((a, b) => (a.word < b.word ? -1 : 1));
}

/** What is typed for each: its name, or its id where others have the name or it cannot be typed. */
function typed(
  items: readonly { readonly id: string; readonly name: string; readonly isOffered: boolean }[],
): Candidate[] {
  const isAlone = oneOf(items.map(({ name }) => name));
  return items
    .filter(({ isOffered }) => isOffered)
    .map(({ id, name }) => {
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
