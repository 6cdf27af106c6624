import { createHash } from "node:crypto";
import type { Account } from "./account.ts";

/** Names an account in file names without telling its key: its cache, its log and its journals are kept by it. */
export function accountHash(account: Account): string {
  if (account.kind === "local") return "local";
  return createHash("sha256").update(`${account.baseUrl}\n${account.key}`).digest("hex").slice(0, 16);
}
