import { watch } from "chokidar";

/** How long nothing must have changed before the folder is synced, and how often the service is looked at, in ms. */
const rest = 1000;
const interval = 5 * 60_000;

/**
 * Syncs a folder at once, whenever it has changed and come to rest, and every five minutes, until the signal is aborted.
 * Events only mean "look again": what changed is found by the sync itself.
 */
export async function watchFolder(
  root: string,
  signal: AbortSignal,
  sync: () => Promise<void>,
): Promise<void> {
  let wake = () => {};
  let timer: NodeJS.Timeout | undefined;
  let isDue = false;
  const due = () => {
    isDue = true;
    wake();
  };
  const watcher = watch(root, {
    ignored: (path) => /(?:^|[\\/])\.[^\\/]+$/.test(path.slice(root.length)),
    ignoreInitial: true,
    followSymlinks: false,
  });
  watcher.on("all", () => {
    clearTimeout(timer);
    timer = setTimeout(due, rest);
  });
  // A file that is created before that would be missed by both the first sync and the watcher.
  watcher.once("ready", due);
  const regular = setInterval(due, interval);
  signal.addEventListener("abort", () => wake(), { once: true });
  try {
    while (!signal.aborted) {
      if (isDue) {
        isDue = false;
        await sync();
      } else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    clearTimeout(timer);
    clearInterval(regular);
    await watcher.close();
  }
}
