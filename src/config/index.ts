// What every command needs, and loads quickly. What writes (change-config.ts, profiles.ts), hashes (account-hash.ts) or
// looks names up (names/) is imported from its own file, where it is needed.
export { type Account, type HostedAccount, isCi, type LocalAccount, resolveAccount } from "./account.ts";
export { type Config, configPath, type Profile, readConfig } from "./config-file.ts";
export { type Credentials, readCredentials } from "./credentials.ts";
export { type Environment, type Folders, folders, makeFolder } from "./folders.ts";
export type { CachedDeck, CachedName } from "./names/cache.ts";
export type { NameIndex, NameIndexSettings } from "./names/types.ts";
export {
  apiKey,
  type Origin,
  type Resolved,
  resolveProfile,
  resolveSetting,
  resolveSettings,
  type Settings,
  type Sources,
} from "./resolve.ts";
export { type Format, formats, isSettingName, type SettingName, settingNames, settings } from "./settings.ts";
