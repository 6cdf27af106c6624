import { createHash } from "node:crypto";
import type { Account } from "./account.ts";

/** Names an account in file names without revealing its key: its cache, review log and journals. */
export function accountHash(account: Account): string {
  if (account.kind === "local") return "local";
  return createHash("sha256").update(`${account.baseUrl}\n${account.key}`).digest("hex").slice(0, 16);
}
