/**
 * The columns of the spreadsheets that an export writes (docs/design/cards.md, Spreadsheets): a column for each side and
 * for each field of the templates between them.
 */
export const firstColumns = ["id", "deck", "template", "front", "back"];
export const lastColumns = "tags due pos archived? review-reverse? trashed? updated-at content fields".split(
  " ",
);

export const ownColumns: ReadonlySet<string> = new Set([...firstColumns, ...lastColumns]);
const taken = new Set([...ownColumns, "question", "answer"]);

/** Column names of fields that are called as another column begin so. */
const prefix = "field:";

export const foldedColumn = (name: string): string => name.normalize("NFC").trim().toLowerCase();

/** The header of a field's column. */
export const fieldHeader = (name: string): string =>
  taken.has(foldedColumn(name)) || name.startsWith(prefix) || name.trim() !== name || name === ""
    ? `${prefix}${name}`
    : name;

/** The field's name of a column's header. */
export const fieldOfHeader = (header: string): string =>
  header.startsWith(prefix) ? header.slice(prefix.length) : header;

/** Whether a header is that of an export. */
export const isSheet = (names: readonly string[]): boolean =>
  [...firstColumns, "tags", "content"].every((name) => names.includes(name));

/** Tags in one cell, as `splitTags` reads them: those with separators in them as JSON. */
export function joinTags(tags: readonly string[]): string {
  if (tags.some((tag) => /[,;[\]]|^\s|\s$/.test(tag))) return JSON.stringify(tags);
  const [only = "", ...more] = tags;
  return more.length === 0 && /\s/.test(only) ? `${only},` : tags.join(", ");
}

/**
 * Tags in one cell: JSON, or between commas or semicolons; where there are none, between spaces.
 *
 * @param spaces false where blanks belong to the tags
 */
export function splitTags(text: string, spaces = true): string[] {
  const exact = jsonTags(text);
  if (exact !== undefined) return [...new Set(exact.filter((tag) => tag.trim() !== ""))];
  const parts = !spaces || /[,;]/.test(text) ? text.split(/[,;]/) : text.split(/\s+/);
  return [...new Set(parts.map((tag) => tag.trim().replace(/^#+/, "").trim()).filter((tag) => tag !== ""))];
}

function jsonTags(text: string): string[] | undefined {
  if (!text.startsWith("[")) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((tag) => typeof tag === "string") ? value : undefined;
  } catch {
    return undefined;
  }
}
