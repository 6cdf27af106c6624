import { EventEmitter, once } from "node:events";
import { statSync } from "node:fs";
import { type FSWatcher, watch } from "chokidar";

/** How long nothing must have changed before the folder is synced, and how often the service is looked at, in ms. */
const rest = 1000;
const interval = 5 * 60_000;
/** How often the folder itself is looked at, in ms: whether it is there, and is the one that is watched. */
const look = 1000;

interface Watching {
  /** Syncs the folder, which was there just before. */
  sync(): Promise<void>;
  /** Called when the folder is missing: it is synced when it is back. */
  missing(): void;
}

/**
 * Syncs a folder at once, whenever it has changed and come to rest, and every five minutes, until the signal is aborted.
 * Events only mean "look again": what changed is found by the sync itself. A folder that is missing, as when its disk is
 * unmounted, is waited for.
 */
export async function watchFolder(
  root: string,
  signal: AbortSignal,
  { sync, missing }: Watching,
): Promise<void> {
  const events = new EventEmitter();
  let timer: NodeJS.Timeout | undefined;
  let isDue = false;
  const due = () => {
    isDue = true;
    events.emit("due");
  };
  const changed = () => {
    clearTimeout(timer);
    timer = setTimeout(due, rest);
  };
  let place = placeOf(root);
  let watcher = watcherOf(root, changed, due);
  const findFolder = () => {
    const now = placeOf(root);
    if (now === place) return;
    place = now;
    // It watches the folder that was moved away.
    void watcher.close();
    if (now === undefined) missing();
    else watcher = watcherOf(root, changed, due);
  };
  const regular = [setInterval(due, interval), setInterval(findFolder, look)];
  try {
    while (!signal.aborted) {
      findFolder();
      if (isDue && place !== undefined) {
        isDue = false;
        await sync();
      } else await once(events, "due", { signal }).catch(() => {});
    }
  } finally {
    clearTimeout(timer);
    for (const each of regular) clearInterval(each);
    await watcher.close();
  }
}

/** Names the folder at a path, which a mount or a move replaces; undefined where there is none. */
function placeOf(root: string): string | undefined {
  try {
    const found = statSync(root);
    return found.isDirectory() ? `${found.dev}:${found.ino}` : undefined;
  } catch {
    // Also while it cannot be reached, as on a disk whose connection is lost.
    return undefined;
  }
}

function watcherOf(root: string, changed: () => void, ready: () => void): FSWatcher {
  const watcher = watch(root, {
    ignored: (path) => /(?:^|[\\/])\.[^\\/]+$/.test(path.slice(root.length)),
    ignoreInitial: true,
    followSymlinks: false,
  });
  watcher.on("all", changed);
  // A file that is created before that would be missed by both the first sync and the watcher.
  watcher.once("ready", ready);
  return watcher;
}
