import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { apiKey } from "../../config/resolve.ts";
import type { Context } from "../../context/context.ts";
import { DeckhandError } from "../../errors.ts";
import type { OwnFile } from "../../service/backup/write.ts";

/** Where the parts of a backup are on this machine. */
export interface Places {
  /** The folder of the data. */
  readonly data: string;
  /** That of the service in it. */
  readonly folder: string;
  /** What belongs to the user's own collection besides. */
  readonly files: readonly OwnFile[];
  /** What `sync` agreed on with the collection: not part of a backup, and of no use to another collection. */
  readonly syncState: readonly OwnFile[];
}

export const localLog = "reviews/local.jsonl";
export const settingsName = "config.json";

/** @param data the value of --data; without it the collection of the profile local with the user's own files */
export function placesOf(data: string | undefined, context: Context): Places {
  if (data !== undefined) {
    const folder = resolve(data);
    return { data: folder, folder: join(folder, "service"), files: [], syncState: [] };
  }
  const { data: own, state, config } = context.folders;
  const there = (folder: string, names: readonly string[]) =>
    names.map((name) => ({ name, path: join(folder, name) })).filter(({ path }) => existsSync(path));
  const logs = namesIn(join(own, "reviews"), /^[\w-]+\.jsonl$/).map((name) => `reviews/${name}`);
  const sync = namesIn(join(state, "sync"), /^[\w-]+\.sqlite(?:-\w+)?$/).map((name) => `sync/${name}`);
  return {
    data: own,
    folder: join(own, "service"),
    files: [...there(config, [settingsName]), ...there(own, logs)],
    syncState: there(state, sync),
  };
}

/**
 * Says which collection a command is about where the user has chosen another account: it has nothing of that one.
 *
 * @param doing `Backing up` @param named the value of --data
 */
export function noteLocal(doing: string, named: string | undefined, context: Context): void {
  if (named === undefined && isHosted(context))
    context.io.note(
      `${doing} the local collection in ${context.folders.data}, not the account that is chosen`,
    );
}

function isHosted(context: Context): boolean {
  try {
    return context.account().kind === "hosted";
  } catch (error) {
    if (!(error instanceof DeckhandError)) throw error;
    // A base URL without a key, for example; with CI=1 it is also an error to choose nothing.
    const { profile, "base-url": baseUrl } = context.settings();
    return (profile.value ?? baseUrl.value ?? apiKey(context.world.env)) !== undefined;
  }
}

const namesIn = (folder: string, known: RegExp) =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => known.test(name))
        .sort()
    : [];
