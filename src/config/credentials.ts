import { chmodSync, closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { NotConfiguredError } from "../errors.ts";
import { fileProblem, systemCode } from "../files/errors.ts";
import { isRecord } from "./config-file.ts";
import { makeFolder, unwritable } from "./folders.ts";

/** A key, and the only origin to which it may be sent. */
export interface Credential {
  readonly origin: string;
  readonly key: string;
}

export interface Credentials {
  readonly path: string;
  /** By profile. */
  readonly keys: ReadonlyMap<string, Credential>;
  /** Why keys that are in the file are not used. */
  readonly problem?: string;
  /** The file contains nothing usable: it may be overwritten. */
  readonly damaged?: true;
}

export const credentialsPath = (folder: string): string => join(folder, "credentials.json");

/** Reads the saved keys. A file that other users can read is refused, since they may know its keys. */
export function readCredentials(folder: string, platform: string): Credentials {
  const path = credentialsPath(folder);
  const none = (problem?: string): Credentials => ({
    path,
    keys: new Map(),
    ...(problem === undefined ? {} : { problem }),
  });
  let text: string;
  try {
    const file = openSync(path, "r");
    try {
      if (platform !== "win32" && (fstatSync(file).mode & 0o077) !== 0)
        return none(`${path} can be read by others, its keys are not used; make it private: chmod 600`);
      text = readFileSync(file, "utf8");
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const code = systemCode(error);
    return code === "ENOENT" || code === "ENOTDIR"
      ? none()
      : none(`could not read ${path}: ${fileProblem(error)}`);
  }
  const keys = parseCredentials(text);
  return keys === undefined ? { ...none(`${path} is damaged; log in again`), damaged: true } : { path, keys };
}

function parseCredentials(text: string): Map<string, Credential> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  const keys = new Map<string, Credential>();
  for (const [profile, entry] of Object.entries(value))
    if (isRecord(entry) && typeof entry["origin"] === "string" && typeof entry["key"] === "string")
      keys.set(profile, { origin: entry["origin"], key: entry["key"] });
  return keys;
}

/**
 * Saves a profile's key, or removes it: atomically, readable by the owner only, in a folder that only the owner can
 * enter. Two processes do not lose each other's change.
 * @throws NotConfiguredError if it can't be written
 */
export async function changeCredential(
  folder: string,
  platform: string,
  profile: string,
  credential: Credential | undefined,
): Promise<void> {
  const { withFileLock } = await import("./lock.ts");
  const { replaceFile } = await import("../files/atomic-write.ts");
  const path = credentialsPath(folder);
  makeFolder(folder);
  await withFileLock(path, async () => {
    try {
      const saved = readCredentials(folder, platform);
      // Overwriting it would lose the other profiles' keys; making it private would trust them again.
      if (saved.problem !== undefined && !saved.damaged) throw new NotConfiguredError(saved.problem);
      const keys = new Map(saved.keys);
      if (credential === undefined && !keys.has(profile)) return;
      if (credential === undefined) keys.delete(profile);
      else keys.set(profile, credential);
      if (platform !== "win32") chmodSync(folder, 0o700);
      replaceFile(path, `${JSON.stringify(Object.fromEntries(keys), null, 2)}\n`, { synced: true });
    } catch (error) {
      throw error instanceof NotConfiguredError ? error : unwritable(path, error);
    }
  });
}

/** Why a text cannot be a key (HTTP Basic joins it with a colon), undefined if it can. */
export function problemWithKey(key: string): string | undefined {
  if (key === "") return "it is empty";
  if (key.includes(":")) return "it contains a colon";
  if (/[\u0000-\u001f\u007f-\u009f]/.test(key)) return "it contains a control character";
  return undefined;
}
