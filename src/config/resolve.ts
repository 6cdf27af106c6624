import { UsageError } from "../errors.ts";
import type { Config } from "./config-file.ts";
import type { Credentials } from "./credentials.ts";
import type { Environment } from "./folders.ts";
import {
  refusedText,
  type Setting,
  type SettingName,
  type SettingValue,
  settingNames,
  settings,
  variableOf,
} from "./settings.ts";

/** Where a value came from. "config" is config.json outside of any profile. */
export type Origin = "option" | "environment" | "profile" | "config" | "default";

interface Resolved<T> {
  readonly value: T;
  readonly origin: Origin;
}

export type Settings = { readonly [N in SettingName]: Resolved<SettingValue<N>> };

/** Everything that settings come from: the same sources give the same settings. */
export interface Sources {
  /** Options by the name that commander gives them (`baseUrl`); `color` is false with `--no-color`. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly env: Environment;
  readonly config: Config;
  /** Why config.json could not be read. */
  readonly configProblem?: string | undefined;
  /** Read only if a saved key is needed. */
  readonly credentials: () => Credentials;
}

/**
 * Every setting with its origin: option, then environment, then profile, then default (docs/design/cli.md, Global options).
 * @throws UsageError that names the source and the allowed values
 */
export function resolveSettings(sources: Sources): Settings {
  const profile = resolveProfile(sources);
  const resolved: Partial<Record<SettingName, Resolved<unknown>>> = {};
  for (const name of settingNames)
    resolved[name] = name === "profile" ? profile : resolveSetting(name, sources, profile.value);
  return resolved as Settings;
}

/**
 * The profile in use; undefined if none was chosen, or if the environment or the options describe another account:
 * `local` has no base URL and no key that these could replace, so it is not used unless they choose it as well.
 */
export function resolveProfile(sources: Sources): Resolved<string | undefined> {
  const chosen = resolveSetting("profile", sources, undefined);
  if (chosen.value !== "local") return chosen;
  const baseUrl = resolveSetting("base-url", sources, undefined);
  const otherAccount =
    (chosen.origin === "config" && (baseUrl.value !== undefined || apiKey(sources.env) !== undefined)) ||
    (chosen.origin === "environment" && baseUrl.origin === "option");
  return otherAccount ? { value: undefined, origin: "default" } : chosen;
}

/**
 * `DECKHAND_API_KEY`; like every variable it counts as unset when it is empty. White space around it is removed, as in
 * `auth login`: secrets of CI jobs often end with a line break.
 */
export function apiKey(env: Environment): string | undefined {
  return env["DECKHAND_API_KEY"]?.trim() || undefined;
}

/**
 * One setting, with the profile's values where a profile is given.
 * @throws UsageError if the value is not allowed
 */
export function resolveSetting<N extends SettingName>(
  name: N,
  sources: Sources,
  profile: string | undefined,
): Resolved<SettingValue<N>> {
  const setting = settings[name] as unknown as Setting<SettingValue<N>>;
  for (const [origin, given, source] of candidates(name, setting, sources, profile)) {
    const value = setting.parse(given);
    if (value === undefined)
      throw new UsageError(`${source} must be ${setting.mustBe}, not ${refusedText(name, given)}`);
    return { value, origin };
  }
  return { value: setting.default, origin: "default" };
}

type Candidate = readonly [origin: Origin, value: string, source: string];

function* candidates(
  name: SettingName,
  setting: Setting<unknown>,
  { options, env, config }: Sources,
  profile: string | undefined,
): Generator<Candidate> {
  if (name === "color") yield* colourCandidates(options, env);
  const option = setting.given === "option" && options[name === "base-url" ? "baseUrl" : name];
  if (option !== false && option !== undefined) yield ["option", String(option), `--${name}`];
  const variable = variableOf(name);
  const inEnvironment = variable && env[variable];
  if (inEnvironment) yield ["environment", inEnvironment, variable];
  if (setting.stored === "global" && isScalar(config[name]))
    yield ["config", String(config[name]), `${name} in config.json`];
  if (setting.stored !== "profile") return;
  const holder = profile ?? (name === "base-url" || standsAlone(options, env) ? undefined : "local");
  const stored =
    holder !== undefined && Object.hasOwn(config.profiles, holder)
      ? config.profiles[holder]?.[name]
      : undefined;
  if (isScalar(stored)) yield ["profile", String(stored), `${name} of the profile ${holder}`];
}

/** Whether options or environment describe an account without a profile. */
const standsAlone = (options: Sources["options"], env: Environment) =>
  options["baseUrl"] !== undefined || !!env["DECKHAND_BASE_URL"] || apiKey(env) !== undefined;

/** `--no-color`, then FORCE_COLOR (as in Node it wins), then NO_COLOR. */
function* colourCandidates(options: Sources["options"], env: Environment): Generator<Candidate> {
  if (options["color"] === false) yield ["option", "never", "--no-color"];
  const forced = env["FORCE_COLOR"];
  if (forced) yield ["environment", forced === "0" || forced === "false" ? "never" : "always", "FORCE_COLOR"];
  if (env["NO_COLOR"]) yield ["environment", "never", "NO_COLOR"];
}

const isScalar = (value: unknown) =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean";
