import type { Template, TemplateCreate } from "../../schema/index.ts";

/** A template that is the same to the letter is used, not made again. */
export function isSameTemplate(template: Template, body: TemplateCreate): boolean {
  const plain = (value: unknown) => JSON.stringify(value, (_, each: unknown) => sortedMap(each)) ?? "null";
  return (["name", "content", "fields", "style", "options"] as const).every(
    (name) => plain(template[name] ?? {}) === plain(body[name] ?? {}),
  );
}

function sortedMap(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== null && each !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
