import { NotConfiguredError, UsageError } from "../errors.ts";
import { isLoopback } from "../loopback.ts";
import { type Config, profileNames } from "./config-file.ts";
import { problemWithKey } from "./credentials.ts";
import type { Environment } from "./folders.ts";
import { apiKey, type Settings, type Sources } from "./resolve.ts";

/** The account that a command talks to. */
export type Account = LocalAccount | HostedAccount;

/** The local service in the same process. */
interface LocalAccount {
  readonly kind: "local";
  readonly profile: "local";
  /** False where nothing was configured: local is then used (docs/design/cli.md, Profiles). */
  readonly chosen: boolean;
}

/** A service on the network. */
export interface HostedAccount {
  readonly kind: "hosted";
  /** Undefined where everything came from options and environment. */
  readonly profile: string | undefined;
  readonly baseUrl: string;
  readonly key: string;
  readonly keyOrigin: "environment" | "credentials";
}

/**
 * The account that the settings describe (docs/design/cli.md, Profiles).
 * @throws NotConfiguredError if there is none, or if its key must not be sent there
 * @throws UsageError if the profile does not exist
 */
export function resolveAccount(sources: Sources, settings: Settings): Account {
  const { options, env, config } = sources;
  const profile = settings.profile.value;
  if (profile === "local") {
    if (options["baseUrl"] !== undefined)
      throw new UsageError("the profile local has no base URL: it is the service on this machine");
    return { kind: "local", profile, chosen: true };
  }
  const key = apiKey(env);
  if (profile === undefined && settings["base-url"].value === undefined && key === undefined)
    return nothingConfigured(sources);
  const completeWithoutFile =
    profile === undefined && settings["base-url"].value !== undefined && key !== undefined;
  if (sources.configProblem !== undefined && !completeWithoutFile) throw unreadable(sources.configProblem);
  if (profile !== undefined && !Object.hasOwn(config.profiles, profile))
    throw unknownProfile(profile, settings.profile.origin, config);

  const baseUrl = settings["base-url"].value;
  if (baseUrl === undefined)
    throw new NotConfiguredError(
      profile === undefined
        ? "DECKHAND_API_KEY is set, but no base URL is"
        : `the profile ${profile} has no base URL`,
      {
        hint: "Set DECKHAND_BASE_URL, give --base-url, or save both with `deckhand auth login`.",
      },
    );
  const found =
    key === undefined ? savedKey(sources, settings, baseUrl) : { key, keyOrigin: "environment" as const };
  if (key !== undefined) {
    const problem = problemWithKey(key);
    if (problem !== undefined)
      throw new NotConfiguredError(`the key in DECKHAND_API_KEY is not a valid key: ${problem}`);
  }
  if (!settings["allow-insecure"].value && !isPrivateWay(baseUrl)) {
    // An account from the environment alone has no profile with that setting.
    const how = profile === undefined ? "auth login --allow-insecure" : "config set allow-insecure true";
    throw new NotConfiguredError(`a key is not sent over plain http to ${new URL(baseUrl).host}`, {
      hint: `Use https, or allow it for the profile: \`deckhand ${how}\`.`,
    });
  }
  return { kind: "hosted", profile, baseUrl, ...found };
}

function nothingConfigured({ env, config, configProblem }: Sources): LocalAccount {
  const names = profileNames(config);
  if (configProblem !== undefined) throw unreadable(configProblem);
  if (names.length > 1)
    throw new NotConfiguredError(`no profile is chosen; there are ${names.join(", ")}`, {
      hint: "Choose one with `deckhand auth use <name>`, --profile or DECKHAND_PROFILE.",
    });
  if (isCi(env))
    throw new NotConfiguredError("no account is configured", {
      hint: "Set DECKHAND_BASE_URL and DECKHAND_API_KEY, or DECKHAND_PROFILE=local for the local service.",
    });
  return { kind: "local", profile: "local", chosen: false };
}

function unknownProfile(profile: string, origin: string, config: Config): Error {
  const known = profileNames(config).join(", ");
  const message = `there is no profile ${JSON.stringify(profile)}; there are: ${known}`;
  return origin === "config"
    ? new NotConfiguredError(`the default profile does not exist: ${message}`, {
        hint: "Choose another with `deckhand auth use <name>`.",
      })
    : new UsageError(message, { hint: "Create it with `deckhand auth login --profile <name>`." });
}

/** The profile's saved key, if the base URL has the origin that it was saved for. */
function savedKey(sources: Sources, settings: Settings, baseUrl: string) {
  const profile = settings.profile.value;
  if (profile === undefined)
    throw new NotConfiguredError("a base URL is given, but DECKHAND_API_KEY is not set", {
      hint: "Set DECKHAND_API_KEY, or save both with `deckhand auth login`.",
    });
  const credentials = sources.credentials();
  const saved = credentials.keys.get(profile);
  if (saved === undefined)
    throw new NotConfiguredError(credentials.problem ?? `no key is saved for the profile ${profile}`, {
      hint: `Run \`deckhand auth login --profile ${profile}\`, or set DECKHAND_API_KEY.`,
    });
  const origin = new URL(baseUrl).origin;
  if (saved.origin !== origin)
    throw new NotConfiguredError(
      `the key of the profile ${profile} was saved for ${saved.origin}; it is not sent to ${origin}`,
      { hint: `Set DECKHAND_API_KEY to the key for ${origin}.` },
    );
  return { key: saved.key, keyOrigin: "credentials" as const };
}

/** Whether this runs in a CI job: `CI` is set, and not to "false" or "0". */
function isCi(env: Environment): boolean {
  const ci = env["CI"];
  return ci !== undefined && ci !== "" && ci !== "false" && ci !== "0";
}

/** Whether others on the network cannot read what is sent there: https, or this machine. */
export function isPrivateWay(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === "https:" || isLoopback(hostname);
}

function unreadable(problem: string): NotConfiguredError {
  return new NotConfiguredError(problem, {
    hint: "Set DECKHAND_BASE_URL and DECKHAND_API_KEY, or DECKHAND_HOME to a folder of your own.",
  });
}
