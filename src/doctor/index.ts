import type { Context } from "../context/context.ts";
import type { Finding } from "./finding.ts";
import { backupFindings, cacheFindings, folderFindings, lockFindings } from "./places.ts";
import { accountFindings, serviceFindings } from "./service.ts";
import { terminalFindings, versionFindings } from "./surroundings.ts";

/** Everything that `deckhand doctor` looks at, one after the other; a check that fails does not stop the others. */
export async function* examinations(context: Context): AsyncGenerator<Finding> {
  yield* versionFindings(context);
  yield* folderFindings(context);
  yield* accountFindings(context);
  // Asking the service takes the lock.
  const locks = [...lockFindings(context)];
  yield* serviceFindings(context);
  yield* terminalFindings(context);
  yield* cacheFindings(context);
  yield* backupFindings(context);
  yield* locks;
}
