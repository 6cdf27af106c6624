import { UsageError } from "../errors.ts";
import { defaultStart, parseStart } from "../schedule/days.ts";
import { parseEasyDays } from "../schedule/easy-days.ts";
import { type NewCards, newCardPlaces } from "../schema/today.ts";
import type { CodecName } from "../schema/wire.ts";
import { parseDuration } from "./duration.ts";

export const formats = ["table", "json", "ndjson", "yaml", "csv", "tsv", "id"] as const;
export type Format = (typeof formats)[number];

/** One setting: where it may come from, its allowed values, and its default. */
export interface Setting<T> {
  /** One sentence for help. */
  readonly about: string;
  /** Its environment variable. */
  readonly env?: string;
  /** Its long option, and the name that commander gives the option's value. */
  readonly option?: { readonly flag: string; readonly key: string };
  /** Where `config set` stores it: in the profile in use, or for all profiles. */
  readonly stored: "profile" | "global";
  /** How a stored value is written in config.json. */
  readonly json: "text" | "number" | "boolean";
  /** The allowed values, for help, completions and errors. */
  readonly values?: readonly string[];
  /** What a value must be: completes "must be …". */
  readonly mustBe: string;
  /** Undefined if the text is not an allowed value. */
  parse(text: string): T | undefined;
  readonly default: T;
}

const setting = <T>(s: Omit<Setting<T>, "json"> & { json?: Setting<T>["json"] }): Setting<T> => ({
  json: "text",
  ...s,
});

const oneOf = <const V extends string>(values: readonly V[]) => ({
  values,
  mustBe: `one of ${values.join(", ")}`,
  parse: (text: string) => values.find((value) => value === text.trim().toLowerCase()),
});

const wholeNumber = (min: number, max: number) => ({
  json: "number" as const,
  mustBe: `a whole number from ${min} to ${max}`,
  parse(text: string): number | undefined {
    const number = /^\d{1,9}$/.test(text.trim()) ? Number(text) : Number.NaN;
    return number >= min && number <= max ? number : undefined;
  },
});

const share = (min: number, max: number) => ({
  json: "number" as const,
  mustBe: `a number from ${min} to ${max}`,
  parse(text: string): number | undefined {
    const number = /^0?\.\d{1,6}$/.test(text.trim()) ? Number(text) : Number.NaN;
    return number >= min && number <= max ? number : undefined;
  },
});

const trueOrFalse = {
  json: "boolean" as const,
  values: ["true", "false"],
  mustBe: "true or false",
  parse: (text: string) => (text === "true" ? true : text === "false" ? false : undefined),
};

const duration = { mustBe: "a duration like 500ms, 30s or 2m", parse: parseDuration };

const some = (text: string) => (text.trim() === "" ? undefined : text.trim());

/** Every setting, once (docs/design/cli.md, Global options and Profiles). The API key is not among them, since it is never shown. */
export const settings = {
  profile: setting<string | undefined>({
    about: "Which account to use.",
    env: "DECKHAND_PROFILE",
    option: { flag: "--profile", key: "profile" },
    stored: "global",
    mustBe: "a name of letters, digits, dots, dashes and underscores",
    parse: (text) => (isProfileName(text) ? text : undefined),
    default: undefined,
  }),
  "base-url": setting<string | undefined>({
    about: "Where the service is.",
    env: "DECKHAND_BASE_URL",
    option: { flag: "--base-url", key: "baseUrl" },
    stored: "profile",
    mustBe: "an http or https address without user name, query and fragment",
    parse: parseBaseUrl,
    default: undefined,
  }),
  codec: setting<CodecName>({
    about: "Encoding of bodies, both ways.",
    env: "DECKHAND_CODEC",
    option: { flag: "--codec", key: "codec" },
    stored: "profile",
    ...oneOf(["json", "transit"]),
    default: "json",
  }),
  timeout: setting<number>({
    about: "How long a request may take, for example 30s.",
    env: "DECKHAND_TIMEOUT",
    option: { flag: "--timeout", key: "timeout" },
    stored: "profile",
    ...duration,
    default: 60_000,
  }),
  retries: setting<number>({
    about: "How often a request that may be repeated is repeated.",
    env: "DECKHAND_RETRIES",
    option: { flag: "--retries", key: "retries" },
    stored: "profile",
    ...wholeNumber(0, 100),
    default: 5,
  }),
  output: setting<Format | undefined>({
    about: "Format of the output.",
    env: "DECKHAND_OUTPUT",
    option: { flag: "--output", key: "output" },
    stored: "global",
    ...oneOf(formats),
    default: undefined,
  }),
  deck: setting<string | undefined>({
    about: "The deck that `deckhand add` puts cards in.",
    stored: "profile",
    mustBe: "a deck's id, name or path",
    parse: some,
    default: undefined,
  }),
  "allow-insecure": setting<boolean>({
    about: "Whether the key may go over plain http to other machines.",
    stored: "profile",
    ...trueOrFalse,
    default: false,
  }),
  "review.new-per-day": setting<number>({
    about: "How many new cards a day `review` begins with.",
    stored: "profile",
    ...wholeNumber(0, 1_000_000),
    default: 20,
  }),
  "review.pictures": setting<"auto" | "off" | "kitty" | "sixel" | "blocks">({
    about: "How pictures are drawn on a terminal.",
    stored: "global",
    ...oneOf(["auto", "off", "kitty", "sixel", "blocks"]),
    default: "auto",
  }),
  "review.record": setting<"log" | "none" | undefined>({
    about: "What happens to answers that the service cannot record.",
    stored: "profile",
    ...oneOf(["log", "none"]),
    default: undefined,
  }),
  "review.day-starts-at": setting<number>({
    about: "When a day begins, as HH:MM on your clock.",
    stored: "global",
    mustBe: "a time from 00:00 to 12:00, such as 04:00",
    parse: parseStart,
    default: defaultStart,
  }),
  "review.max-per-day": setting<number | undefined>({
    about: "How many cards a day `review` asks; without it all that are due.",
    stored: "profile",
    ...wholeNumber(1, 1_000_000),
    default: undefined,
  }),
  "review.autoplay": setting<boolean>({
    about: "Whether sounds play by themselves when they are shown.",
    stored: "profile",
    ...trueOrFalse,
    default: false,
  }),
  "review.player": setting<string | undefined>({
    about: "The program that plays sounds, with its options; mpv, ffplay, afplay or paplay if not set.",
    stored: "global",
    mustBe: "a program and its options",
    parse: some,
    default: undefined,
  }),
  "review.new-cards": setting<NewCards>({
    about: "Whether new cards come first, mixed with the others, or last.",
    stored: "profile",
    ...oneOf(newCardPlaces),
    default: "last",
  }),
  "review.balance": setting<"on" | "off">({
    about: "Whether a card comes back on the day near its interval that has the fewest cards.",
    stored: "profile",
    ...oneOf(["on", "off"]),
    default: "on",
  }),
  "review.easy-days": setting<string>({
    about: "Days with fewer cards, as shares of a normal day.",
    stored: "profile",
    mustBe: "days and shares such as sat 50 %, sun 0",
    parse: (text) => (parseEasyDays(text) === undefined ? undefined : text.trim()),
    default: "",
  }),
  "review.retention": setting<number>({
    about: "The share of cards that should be remembered when they come up.",
    stored: "profile",
    ...share(0.5, 0.99),
    default: 0.9,
  }),
  "backup.automatic": setting<"on" | "off">({
    about: "Whether the local collection is backed up once a day, and before many cards are removed.",
    env: "DECKHAND_BACKUP_AUTOMATIC",
    stored: "global",
    ...oneOf(["on", "off"]),
    default: "on",
  }),
  color: setting<"auto" | "always" | "never">({
    about: "Whether the output has colour.",
    stored: "global",
    ...oneOf(["auto", "always", "never"]),
    default: "auto",
  }),
} as const satisfies Record<string, Setting<never> | Setting<unknown>>;

export type SettingName = keyof typeof settings;
export type SettingValue<N extends SettingName> = (typeof settings)[N]["default"];
export const settingNames = Object.keys(settings) as readonly SettingName[];

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
  return setting.json === "text" && typeof value !== "string" ? text.trim() : value;
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
  if (!isProfileName(name)) throw new UsageError(`a profile's name must be ${settings.profile.mustBe}`);
}

/** A base URL in the form that is stored and compared: without a slash at the end. */
function parseBaseUrl(text: string): string | undefined {
  const trimmed = text.trim();
  if (!/^https?:\/\//i.test(trimmed) || !URL.canParse(trimmed)) return undefined;
  const url = new URL(trimmed);
  if (url.username !== "" || url.password !== "" || /[?#]/.test(trimmed)) return undefined;
  return url.origin + url.pathname.replace(/\/+$/, "");
}
