import { UsageError } from "../../errors.ts";
import { fieldTypes, type TemplateCreate } from "../../schema/template.ts";
import { typedValue } from "../shared/options.ts";

type Fields = TemplateCreate["fields"];
type Field = Fields[string];

/**
 * The fields that `--field <id>[=<name>][:<type>]` and `--option <id>.<option>=<value>` declare, in their order.
 * @throws UsageError that names the option that is wrong
 */
export function declaredFields(fields: readonly string[], options: readonly string[]): Fields {
  const declared = new Map<string, Field>();
  for (const text of fields) {
    const field = parseField(text);
    if (declared.has(field.id)) throw new UsageError(`--field ${JSON.stringify(field.id)} is given twice`);
    declared.set(field.id, field);
  }
  for (const text of options) {
    const { id, name, value } = parseOption(text, [...declared.keys()]);
    const field = declared.get(id) as Field;
    declared.set(id, { ...field, options: { ...field.options, [name]: value } });
  }
  return Object.assign(Object.create(null) as Record<string, Field>, Object.fromEntries(declared));
}

/** What stands behind the last colon is the type; a name may hold colons before it. */
function parseField(text: string): Field {
  const colon = text.lastIndexOf(":");
  const [declared, type] = colon < 0 ? [text, undefined] : [text.slice(0, colon), text.slice(colon + 1)];
  if (type !== undefined && !isFieldType(type))
    throw new UsageError(
      `--field ${JSON.stringify(text)}: the type must be one of ${fieldTypes.join(", ")}, not ${JSON.stringify(type)}`,
      declared.includes("=") ? { hint: "A name that holds a colon needs the type after it." } : {},
    );
  const equals = declared.indexOf("=");
  const id = equals < 0 ? declared : declared.slice(0, equals);
  if (id.trim() === "") throw new UsageError(`--field ${JSON.stringify(text)}: it has no id`);
  return {
    id,
    ...(equals < 0 ? {} : { name: declared.slice(equals + 1) }),
    ...(type === undefined ? {} : { type }),
  };
}

function parseOption(text: string, ids: readonly string[]) {
  const wrong = (why: string) => new UsageError(`--option ${JSON.stringify(text)}: ${why}`);
  const equals = text.indexOf("=");
  if (equals < 0) throw wrong("it takes <id>.<option>=<value>");
  const path = text.slice(0, equals);
  // An id may hold dots: the longest one that fits is meant.
  const id = ids.filter((each) => path.startsWith(`${each}.`)).sort((a, b) => b.length - a.length)[0];
  if (id === undefined) throw wrong("no --field declares that id");
  const name = path.slice(id.length + 1);
  if (name === "") throw wrong("the option has no name");
  return { id, name, value: typedValue(text.slice(equals + 1)) };
}

const isFieldType = (text: string): text is (typeof fieldTypes)[number] =>
  (fieldTypes as readonly string[]).includes(text);
