import type { Blobs } from "./blobs.ts";
import { isNamed } from "./store/attachments.ts";
import type { Store } from "./store/index.ts";
import { takeUnsettled } from "./store/unsettled.ts";

/**
 * Removes contents that no row names any more. Each is looked at in a write transaction of its own, so that no other
 * process can come to name it meanwhile. One that cannot be removed now keeps its note, and is tried at the next start.
 */
export async function settle(store: Store, blobs: Blobs, hashes: readonly string[]): Promise<void> {
  for (const hash of hashes) {
    await store.write(async (db) => {
      if (!(await isNamed(db, hash))) blobs.remove(hash);
      await takeUnsettled(db, hash);
    });
  }
}
