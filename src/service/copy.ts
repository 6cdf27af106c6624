import { DeckhandError } from "../errors.ts";
import { systemRandom } from "../schema/ids.ts";
import type { Blobs, Received } from "./blobs/blobs.ts";
import { type DataPlace, openBlobs, storePlace } from "./place.ts";
import { allContents } from "./store/attachments.ts";
import { type CopiedTable, copiedTables, isEmpty, rowsAfter, writeRows } from "./store/copy.ts";
import { openStore, type Store } from "./store/index.ts";
import { bucketSetting } from "./store/keys.ts";
import type { Db } from "./store/tables.ts";

export interface CopyOptions {
  readonly from: DataPlace;
  readonly to: DataPlace;
  now(): number;
  readonly signal: AbortSignal;
}

/** How many rows were copied, by table. */
export type Copied = Readonly<Record<CopiedTable, number>>;

/** A content that lies in the target, and which it is. */
interface Arrived {
  readonly account: string;
  readonly received: Received;
}

/**
 * Copies all accounts between two stores, of any kind: contents of attachments first, then all rows in one transaction.
 * The source is only read.
 *
 * @throws DeckhandError if the target is not empty, or a content of the source is damaged; the target is empty then
 */
export async function copyStore({ from, to, now, signal }: CopyOptions): Promise<Copied> {
  const source = await openStore(storePlace(from));
  try {
    const target = await openStore(storePlace(to));
    try {
      if (!(await target.read(isEmpty)))
        throw new DeckhandError("refused", "the target has accounts already; nothing was copied");
      const tools = { now, random: systemRandom };
      const [taking, giving] = [await openBlobs(to, target, tools), await openBlobs(from, source, tools)];
      return await source.snapshot((db) => copyAll({ db, giving, target, taking, signal }));
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

interface Copying {
  /** The state of the source that is copied. */
  readonly db: Db;
  readonly giving: Blobs;
  readonly target: Store;
  readonly taking: Blobs;
  readonly signal: AbortSignal;
}

async function copyAll(copying: Copying): Promise<Copied> {
  const { db, target, taking, signal } = copying;
  const arrived: Arrived[] = [];
  try {
    await copyContents(copying, arrived);
    return await target.write(undefined, async (into) => {
      const copied: Record<string, number> = {};
      for (const table of copiedTables) copied[table] = await copyTable(db, into, table, signal);
      for (const { account, received } of arrived) await taking.keep(into, account, received);
      return copied as Copied;
    });
  } finally {
    for (const { account, received } of arrived) await taking.discard(account, received);
  }
}

async function copyTable(from: Db, into: Db, table: CopiedTable, signal: AbortSignal): Promise<number> {
  let count = 0;
  for await (const page of rowsAfter(from, table)) {
    signal.throwIfAborted();
    // The target has its own bucket, or none.
    const rows = table === "setting" ? page.filter(({ name }) => name !== bucketSetting) : page;
    await writeRows(into, table, rows);
    count += rows.length;
  }
  return count;
}

/** Each content once for each account. */
async function copyContents({ db, giving, taking, signal }: Copying, arrived: Arrived[]): Promise<void> {
  for (const { account, hash, size } of await allContents(db)) {
    signal.throwIfAborted();
    const bytes = await giving.read(account, hash, size);
    const received = bytes && (await taking.receive(account, bytes, size));
    if (received?.hash !== hash) throw new DeckhandError("refused", `an attachment of ${account} is damaged`);
    arrived.push({ account, received });
  }
}
