import { templateChecksum } from "./checksums.ts";
import { beyond, smallDocument } from "./documents.ts";
import { positionBytes, positionText } from "./positions.ts";
import type { Db, Place, TemplateRow } from "./tables.ts";

export async function insertTemplate(db: Db, row: TemplateRow): Promise<void> {
  await db
    .insertInto("template")
    .values({ ...row, checksum: templateChecksum(row) })
    .execute();
}

export async function updateTemplate(db: Db, row: TemplateRow): Promise<void> {
  const { account, id, ...values } = row;
  await db
    .updateTable("template")
    .set({ ...values, checksum: templateChecksum(row) })
    .where("account", "=", account)
    .where("id", "=", id)
    .execute();
}

export async function deleteTemplate(db: Db, account: string, id: string): Promise<void> {
  await db.deleteFrom("template").where("account", "=", account).where("id", "=", id).execute();
}

/** How many cards are made with a template. Reads all cards of the account: it is asked before a deletion only. */
export async function cardsOfTemplate(db: Db, account: string, id: string): Promise<number> {
  const row = await db
    .selectFrom("card")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("account", "=", account)
    .where("document", "like", `%"template-id":${JSON.stringify(id)}%`)
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}

/** The highest position of a template; undefined if there are none. */
export async function lastTemplatePosition(db: Db, account: string): Promise<string | undefined> {
  const row = await db
    .selectFrom("template")
    .select("pos")
    .where("account", "=", account)
    .orderBy("pos", "desc")
    .limit(1)
    .executeTakeFirst();
  return row && positionText(row.pos);
}

/** A template in a list. Its document is null if it is large. */
export type ListedTemplate = Omit<TemplateRow, "document"> & {
  readonly document: string | null;
  readonly place: Place;
};

/** Templates after a place in the order of lists: by position, then id. */
export async function templatesAfter(
  db: Db,
  account: string,
  options: { after: Place | undefined; limit: number },
): Promise<ListedTemplate[]> {
  let query = db
    .selectFrom("template")
    .select(["account", "id", "pos"])
    .select(smallDocument("template"))
    .where("account", "=", account);
  if (options.after !== undefined) {
    const [pos = "", id] = options.after.map(String);
    query = query.where(beyond(["pos", "id"], [positionBytes(pos), id]));
  }
  const rows = await query.orderBy("pos").orderBy("id").limit(options.limit).execute();
  return rows.map((row) => ({ ...row, place: [positionText(row.pos), row.id] }));
}
