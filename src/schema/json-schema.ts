import type { Kind } from "./kinds.ts";

export type Json = Readonly<Record<string, unknown>>;

/**
 * The JSON Schema of a kind as JSON carries it, with null where it may be sent.
 *
 * @param schemaOf that of what is in it: a reference, where it has a name
 */
export function jsonSchema(kind: Kind, schemaOf: (kind: Kind) => Json = jsonSchema): Json {
  const plain = plainSchema(kind, (of) => schemaOf(of));
  const type = kind.nullable && typeof plain["type"] === "string" ? { type: [plain["type"], "null"] } : {};
  return { ...plain, ...type, ...(kind.about === undefined ? {} : { description: kind.about }) };
}

function plainSchema(kind: Kind, schemaOf: (kind: Kind) => Json): Json {
  switch (kind.kind) {
    case "string":
      return defined({
        type: "string",
        minLength: kind.notBlank || kind.notEmpty ? 1 : undefined,
        maxLength: kind.max,
      });
    case "keyword":
      return defined({ type: "string", enum: kind.values });
    case "boolean":
      return { type: "boolean" };
    case "integer":
    case "number":
      return defined({ type: kind.kind, minimum: kind.min, maximum: kind.max });
    case "instant":
      return { type: "object", required: ["date"], properties: { date: timestamp } };
    case "timestamp":
      return timestamp;
    case "array":
      return { type: "array", items: schemaOf(kind.of) };
    case "set":
      return { type: "array", uniqueItems: true, items: schemaOf(kind.of) };
    case "record":
      return { type: "object", additionalProperties: schemaOf(kind.of) };
    case "object": {
      const properties = Object.entries(kind.fields).map(([name, field]) => [name, schemaOf(field)]);
      const required = kind.required.length > 0 ? [...kind.required] : undefined;
      return defined({ type: "object", required, properties: Object.fromEntries(properties) });
    }
    case "unknown":
      return {};
  }
}

const timestamp: Json = { type: "string", format: "date-time" };

/** Without the keys that have no value. */
export const defined = (json: Json): Json =>
  Object.fromEntries(Object.entries(json).filter(([, value]) => value !== undefined));
