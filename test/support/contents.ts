import { existsSync } from "node:fs";
import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Bucket } from "../../src/service/blobs/bucket.ts";
import { onPostgres, openTestStore, type TestApplication, testPlace } from "./service.ts";

const partLength = 1024 * 1024;

/** The names of all contents that are stored, also of those that are being received. */
export async function storedContents(application: TestApplication): Promise<string[]> {
  if (!onPostgres) return filesOf(application);
  const store = await openTestStore(application);
  const rows = await store.read((db) => db.selectFrom("content").select(["id", "hash"]).execute());
  await store.close();
  const objects = await objectsOf(application);
  const unknown = objects
    .map((key) => key.split("/")[0] ?? "")
    .filter((id) => !rows.some((row) => row.id === id));
  return [...rows.map(({ id, hash }) => hash ?? id), ...new Set(unknown)];
}

/** The keys of the objects that have parts of contents, where they are in a bucket. */
async function objectsOf({ folder }: Pick<TestApplication, "folder">): Promise<string[]> {
  const { bucket } = await testPlace(folder);
  const keys: string[] = [];
  if (bucket !== undefined) for await (const page of new Bucket(bucket).list("")) keys.push(...page);
  return keys.filter((key) => key.includes("/"));
}

/** Every file below the folder of attachments. */
async function filesOf({ folder }: TestApplication): Promise<string[]> {
  const root = join(folder, "service", "attachments");
  if (!existsSync(root)) return [];
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** Damages the only content that is stored. @param text what is left of it; nothing if undefined */
export async function overwriteContent(
  application: TestApplication,
  text: string | undefined,
): Promise<void> {
  if (!onPostgres) {
    const [file = ""] = await filesOf(application);
    await (text === undefined ? rm(file) : writeFile(file, text));
    return;
  }
  const { bucket } = await testPlace(application.folder);
  if (bucket !== undefined) return overwriteObjects(application, new Bucket(bucket), text);
  const store = await openTestStore(application);
  await store.write(undefined, async (db) => {
    const content = await db.selectFrom("content").selectAll().executeTakeFirstOrThrow();
    await db.deleteFrom("content_part").execute();
    if (text === undefined) await db.deleteFrom("content").execute();
    const { account, id } = content;
    for (let at = 0; at < (text?.length ?? 0); at += partLength) {
      const bytes = Buffer.from((text ?? "").slice(at, at + partLength));
      const part = { account, content_id: id, part: at / partLength, bytes };
      await db.insertInto("content_part").values(part).execute();
    }
  });
  await store.close();
}

async function overwriteObjects(
  application: TestApplication,
  bucket: Bucket,
  text: string | undefined,
): Promise<void> {
  const keys = await objectsOf(application);
  for (const key of keys) await bucket.remove(key);
  const [id = ""] = keys[0]?.split("/") ?? [];
  // The length of parts does not matter to a reader.
  for (let at = 0; at < (text?.length ?? 0); at += partLength)
    await bucket.put(`${id}/${at / partLength}`, Buffer.from((text ?? "").slice(at, at + partLength)));
}
