import { basename, dirname } from "node:path";
import Conf from "conf";
import { replaceFile } from "../files/atomic-write.ts";
import { readIfThere } from "../files/read-if-there.ts";
import { type Config, configPath, parseConfig } from "./config-file.ts";
import { makeFolder, unwritable } from "./folders.ts";
import { withFileLock } from "./lock.ts";

/**
 * Changes config.json: reads it, applies `change` and writes it in one step, while holding a lock, so that
 * two processes do not lose each other's change. Loads `conf`: only where something is written.
 *
 * @param change returns the new settings; the same value if nothing changes
 * @throws NotConfiguredError if the file is damaged or can't be written
 */
export async function changeConfig(folder: string, change: (current: Config) => Config): Promise<Config> {
  const path = configPath(folder);
  makeFolder(folder);
  return withFileLock(path, () => {
    const current = parseConfig(readIfThere(path) ?? "{}", path);
    const changed = change(current);
    if (changed === current) return current;
    try {
      const write = (file: string) => writeConfig(file, changed);
      replaceFile(path, textOf(changed), { synced: true, write });
    } catch (error) {
      throw unwritable(path, error);
    }
    return changed;
  });
}

const textOf = (config: unknown) => `${JSON.stringify(config, null, 2)}\n`;

function writeConfig(file: string, config: Config): void {
  const conf = new Conf<Record<string, unknown>>({
    cwd: dirname(file),
    configName: basename(file),
    fileExtension: "",
    // "profile.name" is a name, not a path.
    accessPropertiesByDotNotation: false,
    configFileMode: 0o600,
    serialize: textOf,
  });
  conf.store = config;
}
