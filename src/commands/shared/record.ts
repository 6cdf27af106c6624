import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import type { OriginRecord } from "../../client/apply/record.ts";
import { accountHash } from "../../config/account-hash.ts";
import { makeFolder } from "../../config/folders.ts";
import type { Context } from "../../context/context.ts";

/** Names the account in use in records and exports: what is recorded of one account says nothing about another. */
export function accountName(context: Context): string {
  const account = context.account();
  const name = account.kind === "local" ? resolve(context.folders.data) : accountHash(account);
  return createHash("sha256").update(`${account.kind}\n${name}`).digest("hex").slice(0, 12);
}

/** Opens the record of origins of the account in use. */
export async function openRecord(context: Context): Promise<OriginRecord> {
  const { OriginRecord } = await import("../../client/apply/record.ts");
  makeFolder(context.folders.state);
  return OriginRecord.open(join(context.folders.state, "origins.db"), accountName(context));
}
