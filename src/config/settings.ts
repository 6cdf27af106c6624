import { UsageError } from "../errors.ts";
import { defaultStart, parseStart } from "../schedule/days.ts";
import { parseEasyDays } from "../schedule/easy-days.ts";
import { type NewCards, newCardPlaces } from "../schema/today.ts";
import type { CodecName } from "../schema/wire.ts";
import { parseDuration } from "./duration.ts";

export const formats = ["table", "json", "ndjson", "yaml", "csv", "tsv", "id"] as const;
export type Format = (typeof formats)[number];

/** One setting: where it may come from, its allowed values, and its default. */
export interface Setting<T> extends Values<T> {
  /** Whether it has an environment variable and a long option of its name, or the variable only. */
  readonly given?: "option" | "variable";
  /** Where `config set` stores it: in the profile in use, or for all profiles. */
  readonly stored: "profile" | "global";
  readonly default: T;
}

/** The values that a setting may have. */
interface Values<T> {
  /** How a stored value is written in config.json; as it is given if absent. */
  readonly json?: "number" | "boolean";
  /** The allowed values, for help, completions and errors. */
  readonly values?: readonly string[];
  /** What a value must be: completes "must be …". */
  readonly mustBe: string;
  /** Undefined if the text is not an allowed value. */
  parse(text: string): T | undefined;
}

const inProfile = <T>(values: Values<T>, fallback: T, given?: Setting<T>["given"]): Setting<T> => {
  return { ...values, default: fallback, stored: "profile", ...(given && { given }) };
};

const forAll = <T>(...setting: Parameters<typeof inProfile<T>>): Setting<T> => {
  return { ...inProfile(...setting), stored: "global" };
};

const oneOf = <const V extends string>(...values: readonly V[]) => ({
  values,
  mustBe: `one of ${values.join(", ")}`,
  parse: (text: string) => values.find((value) => value === text.trim().toLowerCase()),
});

const numberFrom = (min: number, max: number, what: string, pattern: RegExp) => ({
  json: "number" as const,
  mustBe: `a ${what} from ${min} to ${max}`,
  parse(text: string): number | undefined {
    const number = pattern.test(text.trim()) ? Number(text) : Number.NaN;
    return number >= min && number <= max ? number : undefined;
  },
});

const wholeNumber = (min: number, max: number) => numberFrom(min, max, "whole number", /^\d{1,9}$/);

const trueOrFalse = {
  json: "boolean" as const,
  values: ["true", "false"],
  mustBe: "true or false",
  parse: (text: string) => (text === "true" ? true : text === "false" ? false : undefined),
};

const text = (mustBe: string) => ({ mustBe, parse: (given: string) => given.trim() || undefined });

const profileName = {
  mustBe: "a name of letters, digits, dots, dashes and underscores",
  parse: (name: string) => (isProfileName(name) ? name : undefined),
};
const address = {
  mustBe: "an http or https address without user name, query and fragment",
  parse: parseBaseUrl,
};
const duration = { mustBe: "a duration like 500ms, 30s or 2m", parse: parseDuration };
const start = { mustBe: "a time from 00:00 to 12:00, such as 04:00", parse: parseStart };
const easyDays = {
  mustBe: "days and shares such as sat 50 %, sun 0",
  parse: (given: string) => (parseEasyDays(given) === undefined ? undefined : given.trim()),
};
const pictures = oneOf("auto", "off", "kitty", "sixel", "blocks");

/** Every setting, once (docs/design/cli.md, Global options and Profiles). The API key is not among them, since it is never shown. */
export const settings = {
  profile: forAll<string | undefined>(profileName, undefined, "option"),
  "base-url": inProfile<string | undefined>(address, undefined, "option"),
  codec: inProfile<CodecName>(oneOf("json", "transit"), "json", "option"),
  timeout: inProfile<number>(duration, 60_000, "option"),
  retries: inProfile<number>(wholeNumber(0, 100), 5, "option"),
  output: forAll<Format | undefined>(oneOf(...formats), undefined, "option"),
  deck: inProfile<string | undefined>(text("a deck's id, name or path"), undefined),
  "allow-insecure": inProfile<boolean>(trueOrFalse, false),
  "review.new-per-day": inProfile<number>(wholeNumber(0, 1_000_000), 20),
  "review.pictures": forAll<(typeof pictures.values)[number]>(pictures, "auto"),
  "review.record": inProfile<"log" | "none" | undefined>(oneOf("log", "none"), undefined),
  "review.day-starts-at": forAll<number>(start, defaultStart),
  "review.max-per-day": inProfile<number | undefined>(wholeNumber(1, 1_000_000), undefined),
  "review.autoplay": inProfile<boolean>(trueOrFalse, false),
  "review.player": forAll<string | undefined>(text("a program and its options"), undefined),
  "review.new-cards": inProfile<NewCards>(oneOf(...newCardPlaces), "last"),
  "review.balance": inProfile<"on" | "off">(oneOf("on", "off"), "on"),
  "review.easy-days": inProfile<string>(easyDays, ""),
  "review.retention": inProfile<number>(numberFrom(0.5, 0.99, "number", /^0?\.\d{1,6}$/), 0.9),
  "backup.automatic": forAll<"on" | "off">(oneOf("on", "off"), "on", "variable"),
  color: forAll<"auto" | "always" | "never">(oneOf("auto", "always", "never"), "auto"),
} as const satisfies Record<string, Setting<never> | Setting<unknown>>;

/** One sentence for help of each. */
export const aboutSettings: Readonly<Record<SettingName, string>> = {
  profile: "Which account to use.",
  "base-url": "Where the service is.",
  codec: "Encoding of bodies, both ways.",
  timeout: "How long a request may take, for example 30s.",
  retries: "How often a request that may be repeated is repeated.",
  output: "Format of the output.",
  deck: "The deck that `deckhand add` puts cards in.",
  "allow-insecure": "Whether the key may go over plain http to other machines.",
  "review.new-per-day": "How many new cards a day `review` begins with.",
  "review.pictures": "How pictures are drawn on a terminal.",
  "review.record": "What happens to answers that the service cannot record.",
  "review.day-starts-at": "When a day begins, as HH:MM on your clock.",
  "review.max-per-day": "How many cards a day `review` asks; without it all that are due.",
  "review.autoplay": "Whether sounds play by themselves when they are shown.",
  "review.player":
    "The program that plays sounds, with its options; mpv, ffplay, afplay or paplay if not set.",
  "review.new-cards": "Whether new cards come first, mixed with the others, or last.",
  "review.balance": "Whether a card comes back on the day near its interval that has the fewest cards.",
  "review.easy-days": "Days with fewer cards, as shares of a normal day.",
  "review.retention": "The share of cards that should be remembered when they come up.",
  "backup.automatic":
    "Whether the local collection is backed up once a day, and before many cards are removed.",
  color: "Whether the output has colour.",
};

export type SettingName = keyof typeof settings;
export type SettingValue<N extends SettingName> = (typeof settings)[N]["default"];
export const settingNames = Object.keys(settings) as readonly SettingName[];

/** The environment variable of a setting, undefined for one that has none. */
export const variableOf = (name: SettingName): string | undefined =>
  "given" in settings[name] ? `DECKHAND_${name.replace(/[.-]/g, "_").toUpperCase()}` : undefined;

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settings, name);
}

/**
 * The value of a text, as it is stored in config.json.
 * @throws UsageError if it is not a value of that setting
 */
export function storedValue(name: SettingName, text: string): unknown {
  const setting = settings[name] as unknown as Setting<unknown>;
  const value = setting.parse(text);
  if (value === undefined)
    throw new UsageError(`${name} must be ${setting.mustBe}, not ${refusedText(name, text)}`);
  return setting.json === undefined && typeof value !== "string" ? text.trim() : value;
}

/** A refused value as errors quote it. A base URL that may contain a key is not repeated. */
export function refusedText(name: SettingName, given: string): string {
  if (name === "base-url" && given.includes("@")) return "one with a user name";
  if (name === "base-url" && /[?#]/.test(given)) return "one with a query or a fragment";
  return JSON.stringify(given.length > 60 ? `${given.slice(0, 60)}…` : given);
}

/** Profile names are also words of the command line and parts of file names. */
function isProfileName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name);
}

/** @throws UsageError for a name that cannot be used for a service on the network */
export function checkNewName(name: string): void {
  if (name === "local")
    throw new UsageError("the profile local is the local service; give another name with --profile");
  if (!isProfileName(name)) throw new UsageError(`a profile's name must be ${profileName.mustBe}`);
}

/** A base URL in the form that is stored and compared: without a slash at the end. */
function parseBaseUrl(text: string): string | undefined {
  const trimmed = text.trim();
  if (!/^https?:\/\//i.test(trimmed) || !URL.canParse(trimmed)) return undefined;
  const url = new URL(trimmed);
  if (url.username !== "" || url.password !== "" || /[?#]/.test(trimmed)) return undefined;
  return url.origin + url.pathname.replace(/\/+$/, "");
}
