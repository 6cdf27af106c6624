import { join } from "node:path";
import { accountHash } from "../../config/account-hash.ts";
import type { Context } from "../../context/context.ts";
import type { LogHistory } from "../../review/session/history.ts";

/** Warns of lines of the review log that could not be read. */
export function warnOfDamage({ damaged, torn }: LogHistory, path: string, context: Context): void {
  if (torn) context.io.warn(`the last line of the review log ${path} is damaged and was left out`);
  else if (damaged.length > 0)
    context.io.warn(`damaged lines of the review log ${path} were left out: ${damaged.join(", ")}`);
}

/**
 * The review log of the account in use: named by the id that its profile carries, or by the account's hash where the
 * key or the address came from elsewhere: another account must not get this one's answers (review.md).
 */
export function logPath(context: Context): string {
  return join(context.folders.data, "reviews", `${logName(context)}.jsonl`);
}

function logName(context: Context): string {
  const account = context.account();
  if (account.kind === "local") return "local";
  const id =
    account.profile === undefined ? undefined : context.sources().config.profiles[account.profile]?.["id"];
  const own =
    account.keyOrigin === "credentials" && context.settings()["base-url"].origin === "profile"
      ? id
      : undefined;
  return typeof own === "string" && /^[\w-]{1,64}$/.test(own) ? own : accountHash(account);
}
