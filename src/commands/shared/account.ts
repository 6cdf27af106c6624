import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { OriginRecord } from "../../client/apply/record.ts";
import { accountHash } from "../../config/account-hash.ts";
import { makeFolder } from "../../config/folders.ts";
import { resolveSetting } from "../../config/index.ts";
import type { Place } from "../../config/profiles.ts";
import type { Context } from "../../context/context.ts";
import { UsageError } from "../../errors.ts";
import type { NotedCard } from "../../notes/reading.ts";

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
  return OriginRecord.open(recordPath(context), accountName(context));
}

export async function withRecord<T>(context: Context, use: (record: OriginRecord) => Promise<T>): Promise<T> {
  const record = await openRecord(context);
  try {
    return await use(record);
  } finally {
    record.close();
  }
}

/** Where a followed file has a card, as the file was read last; undefined for a card of no such file. */
export function fileOf(id: string, record: OriginRecord) {
  const row = record.byId(id).find(({ key, note }) => note !== undefined && key.startsWith("card "));
  if (row === undefined) return undefined;
  const { file, line } = JSON.parse(row.note ?? "") as NotedCard;
  const isRoot = basename(row.source) === file;
  return { row, line, path: isRoot ? row.source : join(row.source, file) };
}

/**
 * Lets go of the file that a followed card is in. What the file says of it is no card from then on.
 *
 * @throws UsageError without `detach`: the files are the truth
 */
export async function detachFrom(
  id: string,
  { detach = false }: { readonly detach?: boolean | undefined },
  context: Context,
): Promise<void> {
  if (!existsSync(recordPath(context))) return;
  await withRecord(context, async (record) => {
    const found = fileOf(id, record);
    if (found !== undefined && !detach)
      throw new UsageError(`the card ${id} is that of ${found.path}, line ${found.line}`, {
        hint: "Edit it there; --detach lets go of the file.",
      });
    if (found !== undefined && !context.options.dryRun) record.put([{ ...found.row, id: "" }]);
  });
}

const recordPath = (context: Context): string => join(context.folders.state, "origins.db");

/** Where settings and keys are written. */
export const placeOf = (context: Context): Place => ({
  folder: context.folders.config,
  platform: context.world.platform,
});

/** The profile that is chosen, undefined if none is. */
export const chosenProfile = (context: Context): string | undefined =>
  resolveSetting("profile", context.sources(), undefined).value;
