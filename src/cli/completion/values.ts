import { type Setting, settingNames, settings } from "../../config/settings.ts";
import { outcomes } from "../../schema/today.ts";
import { type Candidate, cachedNames, type NameKind } from "./cached-names.ts";

/** The value that is completed. */
interface Wanted {
  /** What help calls it: `deck`, `file|folder`. */
  readonly placeholder: string;
  /** Allowed values, as commander knows them. */
  readonly choices: readonly string[] | undefined;
  /** The long name of its option; undefined for an argument. */
  readonly option: string | undefined;
  /** The words that name the command: `cards list`. */
  readonly path: string;
  /** The arguments before it. */
  readonly before: readonly string[];
  readonly profile: string | undefined;
}

/** What a shell offers: words, or the names of files. */
export type Offer = readonly Candidate[] | "files";

/** What a value may be, by its choices or by the name of its placeholder, which means the same in every command. */
export function valuesFor(wanted: Wanted): Offer {
  const { placeholder, choices, option, path, before } = wanted;
  if (choices !== undefined) return words(choices);
  if (path === "config set" && placeholder === "value") return settingValues(wanted);
  if (path === "due answer" && option === undefined && before.length > 0) return words(outcomes);
  if (placeholder === "setting") return words(settingNames);
  if (placeholder === "method") return words(["GET", "POST", "DELETE"]);
  // The paths of `api` and --base-path are those of addresses.
  if (placeholder === "path" && (option === undefined || option === "--base-path")) return [];
  if (/^(file|path|folder)(\||$)/.test(placeholder)) return "files";
  const kind = nameKind(placeholder, option, path);
  if (kind !== undefined) return cachedNames(kind, wanted.profile);
  if (/^[\w-]+(\|[\w-]+)+$/.test(placeholder)) return words(placeholder.split("|"));
  return [];
}

const words = (list: readonly string[]): Candidate[] => list.map((word) => ({ word, about: "" }));

function nameKind(placeholder: string, option: string | undefined, path: string): NameKind | undefined {
  if (option === "--profile" || placeholder === "profile") return "profiles";
  if (/^deck\b/.test(placeholder)) return path === "decks restore" ? "trashed-decks" : "decks";
  if (/^template\b/.test(placeholder)) return "templates";
  return undefined;
}

function settingValues({ before, profile }: Wanted): Offer {
  const name = settingNames.find((each) => each === before.at(-1));
  if (name === undefined) return [];
  const { values } = settings[name] as Setting<never>;
  if (values !== undefined) return words(values);
  if (name === "deck") return cachedNames("decks", profile);
  return name === "profile" ? cachedNames("profiles", profile) : [];
}
