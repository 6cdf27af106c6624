import { version } from "../../package.json";
import * as schema from "../schema/index.ts";
import { type Kind, type ObjectKind, type Operation, operations } from "../schema/index.ts";
import { defined, type Json, jsonSchema } from "../schema/json-schema.ts";

/** The documents by the names that the schema gives them: `cardCreation` is CardCreation. */
const named: ReadonlyMap<unknown, string> = new Map(
  Object.entries<unknown>(schema)
    .filter(([name, value]) => name !== "errors" && (value as Partial<ObjectKind>).kind === "object")
    .map(([name, kind]) => [kind, name.charAt(0).toUpperCase() + name.slice(1)]),
);

/** The OpenAPI 3.1 description of the service in its JSON encoding, derived from the schema. */
export function openApi(): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of Object.values(operations) as Operation[]) {
    const path = operation.path.replace(/:([^/]+)/g, "{$1}");
    paths[path] ??= {};
    paths[path][operation.method.toLowerCase()] = operationOf(operation);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Flashcard Service",
      version,
      description:
        "The local service of deckhand. Bodies are described as JSON; application/transit+json is understood and, where Accept asks for it, answered, too. Single documents have an ETag, which updates and deletions take as If-Match.",
    },
    security: [{ key: [] }],
    paths,
    components: {
      securitySchemes: {
        key: { type: "http", scheme: "basic", description: "The API key as user name, without a password." },
      },
      schemas: Object.fromEntries([
        ...[...named].map(([kind, name]) => [name, described(kind as Kind)]),
        ["Errors", { type: "object", required: ["errors"], properties: { errors: errorsSchema } }],
      ]),
    },
  };
}

const errorsSchema: Json = {
  description: "Messages; with status 422 one message for each field that failed.",
  oneOf: [
    { type: "array", items: { type: "string" } },
    { type: "object", additionalProperties: { type: "string" } },
  ],
};

function operationOf(operation: Operation): Json {
  const { id, about, extension, path, query, body } = operation;
  return defined({
    operationId: id,
    tags: [id.split(".")[0]],
    summary: about,
    description: extension && `Extension "${extension}" of the local service.`,
    parameters: [
      ...[...path.matchAll(/:([^/]+)/g)].map(([, name]) => parameter("path", name, { type: "string" })),
      ...Object.entries(query?.fields ?? {}).map(([name, kind]) => {
        const { description, ...rest } = described(kind);
        return parameter("query", name, rest, description);
      }),
    ],
    requestBody: body && bodyOf(body),
    responses: {
      ...answerOf(operation),
      default: { description: "A failure.", ...content(errorsReference) },
    },
  });
}

const parameter = (place: string, name: string | undefined, schema: Json, description?: unknown): Json =>
  defined({ name, in: place, required: place === "path", description, schema });

const errorsReference: Json = { $ref: "#/components/schemas/Errors" };
const content = (of: Json, type = "application/json"): Json => ({ content: { [type]: { schema: of } } });

function bodyOf(body: ObjectKind | "multipart"): Json {
  if (body !== "multipart") return { required: true, ...content(schemaOf(body)) };
  const file = { type: "string", contentMediaType: "application/octet-stream" };
  const form = { type: "object", required: ["file"], properties: { file } };
  return { required: true, ...content(form, "multipart/form-data") };
}

function answerOf({ answer, about }: Operation): Json {
  if (answer === "empty") return { 204: { description: about } };
  if (answer === "bytes")
    return { 200: { description: about, content: { "*/*": { schema: { type: "string" } } } } };
  return { 200: { description: about, ...content(schemaOf(answer)) } };
}

const described = (kind: Kind): Json => jsonSchema(kind, schemaOf);

const schemaOf = (kind: Kind): Json =>
  named.has(kind) ? { $ref: `#/components/schemas/${named.get(kind)}` } : described(kind);
