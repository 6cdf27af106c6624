import { createHash } from "node:crypto";
import { isMap } from "../../../schema/index.ts";

/** The key under which an archive of ours lists the ids of fields that were replaced. */
export const fieldIdsKey = "deckhand/field-ids";

/** The ids of fields as the apps take them: letters and digits, at least 8 of them; `name` is the primary field's. */
export class FieldIds {
  /** Those that were replaced: the ids that the collection has, by those in the archive. */
  readonly all = new Map<string, string>();

  /** A card or a template with such ids. */
  replaced<T extends { readonly fields?: unknown }>(document: T): T {
    if (!isMap(document.fields)) return document;
    const fields = Object.entries(document.fields).map(([id, field]) => {
      const given = this.#of(id);
      return [given, isMap(field) ? { ...field, id: given } : field];
    });
    return { ...document, fields: Object.fromEntries(fields) };
  }

  #of(id: string): string {
    if (id === "name" || /^[0-9A-Za-z]{8,}$/.test(id)) return id;
    const given = createHash("sha256").update(id).digest("hex").slice(0, 8);
    this.all.set(given, id);
    return given;
  }
}

type Document = Readonly<Record<string, unknown>>;

/**
 * Gives cards and templates the ids of fields that their collection had before it was exported to an archive of ours.
 *
 * @param data of the archive
 */
export function fieldIdsBefore(data: Document): (document: Document) => Document {
  const ids = data[fieldIdsKey];
  if (!isMap(ids)) return (document) => document;
  return (document) => {
    if (!isMap(document["fields"])) return document;
    const fields = Object.entries(document["fields"]).map(([id, field]): [string, unknown] => {
      const before = ids[id];
      return typeof before === "string"
        ? [before, isMap(field) ? { ...field, id: before } : field]
        : [id, field];
    });
    return { ...document, fields: Object.fromEntries(fields) };
  };
}
