// What every command needs, and loads quickly. What writes (change-config.ts, profiles.ts), hashes (account-hash.ts) or
// looks names up (decks/) is imported from its own file, where it is needed.
export { type Account, type HostedAccount, resolveAccount } from "./account.ts";
export { configPath, readConfig } from "./config-file.ts";
export { readCredentials } from "./credentials.ts";
export { type Folders, folders } from "./folders.ts";
export {
  type Origin,
  resolveProfile,
  resolveSetting,
  resolveSettings,
  type Settings,
  type Sources,
} from "./resolve.ts";
export { type SettingName, settingNames, settings } from "./settings.ts";
