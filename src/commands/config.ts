import { credentialsPath } from "../config/credentials.ts";
import { formatDuration } from "../config/duration.ts";
import {
  configPath,
  resolveProfile,
  resolveSetting,
  type SettingName,
  settingNames,
  settings,
} from "../config/index.ts";
import { isSettingName, storedValue } from "../config/settings.ts";
import type { Context } from "../context/context.ts";
import { DeckhandError, UsageError } from "../errors.ts";
import { nearest } from "../nearest.ts";
import { formatStart } from "../schedule/days.ts";
import { string } from "../schema/kinds.ts";
import { listingOf } from "../schema/resources.ts";
import { placeOf } from "./shared/account.ts";
import { argument, command, declare } from "./shared/command.ts";

const settingsListing = listingOf("settings", { name: string(), value: string(), origin: string() });

const declaredList = () =>
  declare(`List the settings: what each is now, and where that comes from.

  deckhand config list
  deckhand config list -o json`);

export const listCommand = command(declaredList, async (_options, context) => {
  const settings = context.settings();
  const rows = settingNames.map((name) => ({
    name,
    value: shownValue(name, settings[name].value) ?? null,
    origin: settings[name].origin,
  }));
  await context.print.list(settingsListing, rows);
  const { configProblem } = context.sources();
  if (configProblem !== undefined) context.io.warn(configProblem);
});

const declaredGet = () =>
  declare(`Print a setting's value, wherever it comes from.

  deckhand config get codec
  deckhand config get timeout --profile local`).argument("<setting>", "its name");

export const getCommand = command(declaredGet, async (text, _options, context) => {
  const name = settingName(text);
  const value = shownValue(name, context.settings()[name].value);
  if (value === undefined) throw new DeckhandError("not-found", `${name} is not set`);
  if (context.print.json) await context.print.value(value);
  else await context.io.write(`${value}\n`);
});

const declaredSet = () =>
  declare(`Change a setting: of the profile in use, or of all profiles.

  deckhand config set deck Geography
  deckhand config set timeout 30s --profile local`)
    .argument("<setting>", "its name; `deckhand help settings` describes each")
    .argument("<value>", "what it is to be");

export const setCommand = command(declaredSet, async (name, value, _options, context) => {
  await keep(settingName(name), value, context);
});

const declaredUnset = () =>
  declare(`Forget a setting: it is then what it is by default.

  deckhand config unset deck
  deckhand config unset codec --profile local`).argument("<setting>", "its name");

export const unsetCommand = command(declaredUnset, async (name, _options, context) => {
  await keep(settingName(name), undefined, context);
});

const things = ["config", "credentials", "data", "state", "cache"] as const;
type Thing = (typeof things)[number];

const declaredPath = () =>
  declare(`Print where things are kept: the file of the settings, or of the keys, or a folder.

  deckhand config path
  ls "$(deckhand config path data)"`).addArgument(
    argument("[what]", "which of them").choices(things).default("config"),
  );

export const pathCommand = command(declaredPath, async (what, _options, context) => {
  const path = pathOf(what, context);
  const { output, jq } = context.options;
  if (output === "json" || output === "ndjson" || jq !== undefined) await context.print.value(path);
  else await context.io.write(`${path}\n`);
});

function pathOf(what: Thing, { folders }: Context): string {
  if (what === "config") return configPath(folders.config);
  if (what === "credentials") return credentialsPath(folders.config);
  return folders[what];
}

/** Keeps a setting in the profile in use, or for all profiles where it is one of those; undefined forgets it. */
async function keep(name: SettingName, value: string | undefined, context: Context): Promise<void> {
  const holder = settings[name].stored === "global" ? "local" : profileInUse(name, context);
  const [done, would] = value === undefined ? ["Forgot", "forget"] : ["Set", "set"];
  const what = value === undefined ? name : `${name} to ${value}`;
  // A dry run refuses what would be refused, and does not repeat what may be a key.
  if (value !== undefined) storedValue(name, value);
  if (context.options.dryRun) return context.io.note(`Would ${would} ${what}`);
  const { storeSetting } = await import("../config/profiles.ts");
  await storeSetting(placeOf(context), name, value, holder);
  context.io.say(`${done} ${what}`);
}

/** What comes from the environment alone has no profile that could keep anything; with nothing chosen it is local. */
function profileInUse(name: SettingName, context: Context): string {
  // Not all settings: one that is wrong must not keep its own correction out.
  const profile = resolveProfile(context.sources()).value;
  if (profile !== undefined) return profile;
  if (resolveSetting("base-url", context.sources(), undefined).value !== undefined)
    throw new UsageError(`no profile is in use that could keep ${name}`, {
      hint: "Name one with --profile.",
    });
  return "local";
}

/** @throws UsageError that names the settings there are */
function settingName(text: string): SettingName {
  if (isSettingName(text)) return text;
  const near = nearest(text, settingNames);
  throw new UsageError(`there is no setting ${JSON.stringify(text)}`, {
    hint: near ? `did you mean "${near}"?` : `The settings are: ${settingNames.join(", ")}`,
  });
}

/** A setting's value as it is typed; undefined if it has none. */
export function shownValue(name: SettingName, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (name.endsWith("timeout")) return formatDuration(value as number);
  return name === "review.day-starts-at" ? formatStart(value as number) : String(value);
}
