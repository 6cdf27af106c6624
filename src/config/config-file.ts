import { join } from "node:path";
import { NotConfiguredError } from "../errors.ts";
import { fileProblem } from "../files/errors.ts";
import { readIfThere } from "../files/read-if-there.ts";

/** The content of config.json: settings for all profiles at the top level, each profile's own under `profiles`. */
export interface Config {
  readonly [setting: string]: unknown;
  readonly profiles: Readonly<Record<string, Profile>>;
}
/** Settings as the file has them, and `id`, which names the profile's review log. */
export type Profile = Readonly<Record<string, unknown>>;

interface ReadConfig {
  readonly config: Config;
  /** Why the file could not be read, if it exists. */
  readonly problem?: string;
}

export const configPath = (folder: string): string => join(folder, "config.json");

/**
 * Reads config.json as plain JSON (`conf`, which writes it, takes 50 ms to load).
 * @throws NotConfiguredError that names the file if it is damaged
 */
export function readConfig(folder: string): ReadConfig {
  const path = configPath(folder);
  let text: string | undefined;
  try {
    text = readIfThere(path);
  } catch (error) {
    // Another user's home folder (sudo -u): an account given by the environment still works.
    return { config: { profiles: {} }, problem: `could not read ${path}: ${fileProblem(error)}` };
  }
  return { config: text === undefined ? { profiles: {} } : parseConfig(text, path) };
}

/** @throws NotConfiguredError that names the file */
export function parseConfig(text: string, path: string): Config {
  const damaged = (what: string) =>
    new NotConfiguredError(`the settings in ${path} are damaged: ${what}`, {
      hint: "Correct the file, or remove it to start again.",
    });
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    throw damaged("not valid JSON");
  }
  if (!isRecord(value)) throw damaged("not a JSON object");
  const profiles = value["profiles"] ?? {};
  if (!isRecord(profiles)) throw damaged('"profiles" is not an object');
  for (const [name, profile] of Object.entries(profiles))
    if (!isRecord(profile)) throw damaged(`the profile ${JSON.stringify(name)} is not an object`);
  return { ...value, profiles: profiles as Record<string, Profile> };
}

/** All profiles; `local` always exists. */
export const profileNames = ({ profiles }: Config): string[] => [
  ...new Set(["local", ...Object.keys(profiles)]),
];

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
