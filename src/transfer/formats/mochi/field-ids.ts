import { isMap } from "../../../schema/index.ts";

type Document = Readonly<Record<string, unknown>>;

/** What the ids begin with that stand for others; the UTF-8 of those follows in hex. */
const prefix = "deckhand";

/** The ids of fields as the apps take them: letters and digits, at least 8 of them; `name` is the primary field's. */
const forApps = (id: string): string =>
  id === "name" || (/^[0-9A-Za-z]{8,}$/.test(id) && !id.startsWith(prefix))
    ? id
    : prefix + Buffer.from(id).toString("hex");

const beforeExport = (id: string): string =>
  /^deckhand(?:[0-9a-f]{2})+$/.test(id) ? Buffer.from(id.slice(prefix.length), "hex").toString() : id;

function withIds<T extends Document>(document: T, idOf: (id: string) => string): T {
  const { fields } = document;
  if (!isMap(fields)) return document;
  const entries = Object.entries(fields).map(([id, field]): [string, unknown] => [
    idOf(id),
    isMap(field) ? { ...field, id: idOf(id) } : field,
  ]);
  return { ...document, fields: Object.fromEntries(entries) };
}

/** A card or a template with ids of fields that the apps take. */
export const withAppFieldIds = <T extends object>(document: T): T =>
  withIds(document as T & Document, forApps);

/** The same with those that its collection had. */
export const withOwnFieldIds = (document: Document): Document => withIds(document, beforeExport);
