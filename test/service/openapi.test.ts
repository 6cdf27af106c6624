import { expect, test } from "vitest";
import { type Operation, operations } from "../../src/schema/index.ts";
import { handled } from "../support/handled.ts";
import { received } from "../support/requests.ts";
import { openTestApplication } from "../support/service.ts";

interface Description {
  openapi: string;
  paths: Record<string, Record<string, { operationId: string; parameters: { name: string; in: string }[] }>>;
  components: { schemas: Record<string, { required?: string[]; properties?: Record<string, unknown> }> };
}

async function description() {
  const application = await openTestApplication();
  const answer = await received(
    await handled(application, { method: "GET", path: "/openapi.json", query: "", headers: {} }),
  );
  expect(answer).toMatchObject({ status: 200, headers: { "content-type": "application/json" } });
  return { text: answer.text, document: answer.body as unknown as Description };
}

test("describes every operation of the schema with its parameters, without a key", async () => {
  const { document } = await description();
  expect(document.openapi).toBe("3.1.0");
  for (const operation of Object.values(operations) as Operation[]) {
    const path = operation.path.replace(/:([^/]+)/g, "{$1}");
    const described = document.paths[path]?.[operation.method.toLowerCase()];
    expect(described?.operationId).toBe(operation.id);
    const names = described?.parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
    expect(names).toEqual([
      ...[...operation.path.matchAll(/:([^/]+)/g)].map(([, name]) => `path ${name}`),
      ...Object.keys(operation.query?.fields ?? {}).map((name) => `query ${name}`),
    ]);
  }
});

test("describes the API in process, too", async () => {
  const application = await openTestApplication();
  const request = { method: "GET", path: "/openapi.json", query: "", headers: {} };
  const answer = await received(await application.as("default").send(request));
  expect(answer.text).toBe((await description()).text);
});

test("answers HEAD with the headers of the description", async () => {
  const application = await openTestApplication();
  const request = { method: "HEAD", path: "/openapi.json", query: "", headers: {} };
  const length = String(Buffer.byteLength((await description()).text));
  expect(await handled(application, request)).toMatchObject({
    status: 200,
    headers: { "content-type": "application/json", "content-length": length },
    body: null,
  });
});

test("has no reference to a missing schema", async () => {
  const { text, document } = await description();
  const names = [...text.matchAll(/"\$ref": "#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name ?? "");
  expect(names.length).toBeGreaterThan(20);
  for (const name of names) expect(Object.keys(document.components.schemas)).toContain(name);
});

test("describes what has to be sent, and in which form", async () => {
  const { document } = await description();
  const { schemas } = document.components;
  expect(schemas["CardCreate"]?.required).toEqual(["content", "deck-id"]);
  expect(schemas["TemplateCreate"]?.properties?.["name"]).toMatchObject({
    type: "string",
    minLength: 1,
    maxLength: 64,
  });
  expect(schemas["CardUpdate"]?.properties?.["trashed?"]).toMatchObject({
    type: ["string", "null"],
    format: "date-time",
  });
  expect(schemas["Card"]?.properties?.["created-at"]).toMatchObject({ type: "object", required: ["date"] });
  expect(schemas["DeckCreate"]?.properties?.["cards-view"]).toMatchObject({
    enum: ["list", "grid", "note", "column"],
  });
});
