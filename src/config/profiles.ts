import { UsageError } from "../errors.ts";
import { changeConfig } from "./change-config.ts";
import { type Config, type Profile, profileNames } from "./config-file.ts";
import { changeCredential } from "./credentials.ts";
import { checkNewName, type SettingName, settings, storedValue } from "./settings.ts";

/** Where settings and keys are stored. */
export interface Place {
  /** The config folder. */
  readonly folder: string;
  readonly platform: string;
}

interface NewProfile {
  readonly name: string;
  readonly baseUrl: string;
  readonly codec: string | undefined;
  readonly key: string;
  /** Names the profile's review log: random, and constant while the profile exists. */
  readonly id: string;
}

/**
 * Saves a profile and its key, and makes it the default. Its other settings remain.
 * @throws NotConfiguredError if it can't be written
 */
export async function saveProfile(place: Place, profile: NewProfile): Promise<void> {
  checkNewName(profile.name);
  await changeCredential(place.folder, place.platform, profile.name, {
    origin: new URL(profile.baseUrl).origin,
    key: profile.key,
  });
  await changeConfig(place.folder, (config) => {
    const before = config.profiles[profile.name] ?? {};
    const after: Profile = {
      id: profile.id,
      ...before,
      "base-url": profile.baseUrl,
      ...(profile.codec === undefined ? {} : { codec: profile.codec }),
    };
    return { ...withProfile(config, profile.name, after), profile: profile.name };
  });
}

/** Makes a profile the default. */
export async function chooseProfile(place: Place, name: string): Promise<void> {
  await changeConfig(place.folder, (config) => {
    if (name !== "local" && !Object.hasOwn(config.profiles, name)) throw noProfile(name, config);
    return config["profile"] === name ? config : { ...config, profile: name };
  });
}

/**
 * Stores a setting, in the profile or for all of them, as the settings table says.
 * @param text as typed; undefined to unset it
 * @throws UsageError if it is not a value of that setting
 */
export async function storeSetting(
  place: Place,
  name: SettingName,
  text: string | undefined,
  profile: string,
): Promise<void> {
  const { stored } = settings[name];
  const value = text === undefined ? undefined : storedValue(name, text);
  await changeConfig(place.folder, (config) => {
    if (stored === "global") {
      if (name === "profile" && typeof value === "string" && !profileNames(config).includes(value))
        throw noProfile(value, config);
      const { [name]: _, profiles, ...rest } = config;
      return { ...rest, ...(value === undefined ? {} : { [name]: value }), profiles };
    }
    if (profile === "local" && name === "base-url")
      throw new UsageError("the profile local has no base URL: it is the service on this machine");
    if (profile !== "local" && !Object.hasOwn(config.profiles, profile)) throw noProfile(profile, config);
    const { [name]: _, ...rest } = config.profiles[profile] ?? {};
    return withProfile(config, profile, value === undefined ? rest : { ...rest, [name]: value });
  });
}

const noProfile = (name: string, config: Config) =>
  new UsageError(
    `there is no profile ${JSON.stringify(name)}; there are: ${profileNames(config).join(", ")}`,
    { hint: "Create it with `deckhand auth login --profile <name>`." },
  );

const withProfile = (config: Config, name: string, profile: Profile): Config => ({
  ...config,
  profiles: { ...config.profiles, [name]: profile },
});
