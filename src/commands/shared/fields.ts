import { UsageError } from "../../errors.ts";
import { nearestNames } from "../../nearest.ts";
import type { Template } from "../../schema/template.ts";

export type FieldValues = Record<string, { readonly id: string; readonly value: string }>;

/** Field values by the ids given, nothing looked up (`--template-id`). */
export function idFields(values: ReadonlyMap<string, string>): FieldValues {
  const fields = Object.create(null) as FieldValues;
  for (const [id, value] of values) fields[id] = { id, value };
  return fields;
}

/**
 * Field values by the ids or names of a template's fields: ids first, then names exactly, then without regard to case.
 * @throws UsageError that lists the fields, for a name that is none of them or stands for several
 */
export function cardFields(values: ReadonlyMap<string, string>, template: Template): FieldValues {
  const fields = Object.create(null) as FieldValues;
  for (const [name, value] of values) {
    const id = fieldId(name, template);
    if (Object.hasOwn(fields, id)) throw new UsageError(`the field ${JSON.stringify(name)} is given twice`);
    fields[id] = { id, value };
  }
  return fields;
}

function fieldId(name: string, template: Template): string {
  const fields = Object.entries(template.fields ?? {}).map(([id, field]) => ({
    id,
    name: field?.name ?? id,
  }));
  if (fields.some((field) => field.id === name)) return name;
  const exact = fields.filter((field) => field.name === name);
  const found =
    exact.length > 0 ? exact : fields.filter((field) => field.name.toLowerCase() === name.toLowerCase());
  const [first] = found;
  const of = `of the template ${JSON.stringify(template.name ?? template.id)}`;
  const list = fields
    .map((field) => (field.name === field.id ? field.id : `${field.name} (${field.id})`))
    .join(", ");
  if (found.length > 1)
    throw new UsageError(`several fields ${of} are called ${JSON.stringify(name)}: ${list}`);
  if (first !== undefined) return first.id;
  const near = nearestNames(
    name,
    fields.map((field) => field.name),
    1,
  );
  throw new UsageError(`no field ${of} is called ${JSON.stringify(name)}`, {
    hint:
      near.length > 0
        ? `Did you mean ${near[0]}? The fields are: ${list}`
        : `The fields are: ${list || "none"}`,
  });
}
