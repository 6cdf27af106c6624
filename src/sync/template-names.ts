import type { Template } from "../schema/index.ts";

/** How files name templates: by their names where these are unique, else by their ids. */
export function templateNames(templates: readonly Template[]): (id: string) => string {
  const names = new Map(templates.map(({ id, name }) => [id, name ?? ""]));
  const counts = new Map<string, number>();
  for (const name of names.values()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return (id) => {
    const name = names.get(id);
    return name !== undefined && counts.get(name) === 1 ? name : id;
  };
}
