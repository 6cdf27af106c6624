import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { accountHash } from "../../config/account-hash.ts";
import type { Context } from "../../context/context.ts";
import { type LogHistory, readLog } from "../../review/session/history.ts";

/**
 * The review log of the account in use: named by the id that its profile carries, or by the account's hash where the
 * key or the address came from elsewhere: another account must not get this one's answers. A log that was begun before
 * the account had a profile goes over to the profile.
 */
export function logPath(context: Context): string {
  const path = (name: string) => join(context.folders.data, "reviews", `${name}.jsonl`);
  const account = context.account();
  if (account.kind === "local") return path("local");
  const hash = accountHash(account);
  const id = profileId(context);
  if (id === undefined) return path(hash);
  if (!existsSync(path(id)) && existsSync(path(hash))) renameSync(path(hash), path(id));
  return path(id);
}

/** The id of the profile in use, or of one that is saved for the same account. */
function profileId(context: Context): string | undefined {
  const account = context.account();
  if (account.kind === "local") return undefined;
  const { config, credentials } = context.sources();
  const saved = account.keyOrigin === "credentials" && context.settings()["base-url"].origin === "profile";
  const names = saved && account.profile !== undefined ? [account.profile] : Object.keys(config.profiles);
  for (const name of names) {
    const profile = config.profiles[name];
    const id = profile?.["id"];
    const same =
      saved ||
      (profile?.["base-url"] === account.baseUrl && credentials().keys.get(name)?.key === account.key);
    if (same && typeof id === "string" && /^[\w-]{1,64}$/.test(id)) return id;
  }
  return undefined;
}

/** What the review log of the account in use says. */
export const historyHere = (context: Context): Promise<LogHistory> => readLog(logPath(context));

/** The same, with a warning of lines that could not be read. */
export async function wholeHistory(context: Context): Promise<LogHistory> {
  const path = logPath(context);
  const history = await readLog(path);
  if (history.torn) context.io.warn(`the last line of the review log ${path} is damaged and was left out`);
  else if (history.damaged.length > 0)
    context.io.warn(`damaged lines of the review log ${path} were left out: ${history.damaged.join(", ")}`);
  return history;
}
