import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { watchFolder } from "../../src/sync/watch.ts";
import { temporaryFolder } from "../support/folder.ts";
import { waitFor } from "../support/wait-for.ts";

test("a watched folder that is moved away is waited for, synced when it is back, and watched again", async () => {
  const root = join(temporaryFolder(), "cards");
  mkdirSync(root);
  const stop = new AbortController();
  let [synced, missing] = [0, 0];
  const watching = watchFolder(root, stop.signal, {
    sync: async () => {
      synced++;
    },
    missing: () => {
      missing++;
    },
  });
  await waitFor(() => synced > 0, "the first sync", 60_000);
  renameSync(root, `${root}.away`);
  await waitFor(() => missing > 0, "the message", 60_000);
  const before = synced;
  renameSync(`${root}.away`, root);
  await waitFor(() => synced > before, "a sync of the folder that is back", 60_000);
  const after = synced;
  writeFileSync(join(root, "one.md"), "one\n");
  await waitFor(() => synced > after, "a sync of a new file", 60_000);
  stop.abort();
  await watching;
  expect(missing).toBe(1);
}, 240_000);
