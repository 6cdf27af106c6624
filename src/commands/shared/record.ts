import { join } from "node:path";
import type { OriginRecord } from "../../client/apply/record.ts";
import { makeFolder } from "../../config/folders.ts";
import type { Context } from "../../context/context.ts";
import { accountName } from "./journal.ts";

/** Opens the record of origins of the account in use. */
export async function openRecord(context: Context): Promise<OriginRecord> {
  const { OriginRecord } = await import("../../client/apply/record.ts");
  makeFolder(context.folders.state);
  return OriginRecord.open(join(context.folders.state, "origins.db"), accountName(context));
}
