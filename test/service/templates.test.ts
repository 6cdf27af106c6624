import { expect, test } from "vitest";
import { docsOf, idOf, rawClient } from "../support/requests.ts";
import { openTestApplication } from "../support/service.ts";

const client = async () => rawClient(await openTestApplication());
const minimal = { name: "T", content: "<< Name >>", fields: {} };

test("answers a created template with its id, its position and what was given", async () => {
  const ask = await client();
  const sent = {
    name: "Country",
    content: "<< Country >>\n---\n<< Capital >>",
    fields: {
      name: {
        id: "name",
        name: "Country",
        type: "text",
        pos: "a",
        content: "",
        options: { "multi-line?": true },
      },
      cap: { id: "cap" },
    },
    pos: "m",
    style: { "text-alignment": "center" },
    options: { "show-sides-separately?": true },
  };
  const created = await ask("POST", "/templates", sent);
  expect(created.body).toEqual({ id: expect.stringMatching(/^[0-9A-Za-z]{8}$/), ...sent });
  expect((await ask("GET", `/templates/${idOf(created)}`)).body).toEqual(created.body);
  const plain = await ask("POST", "/templates", minimal);
  expect(plain.body).toEqual({ id: expect.any(String), pos: "ma1", ...minimal });
});

test("lists templates whole, by position and then id, new ones last", async () => {
  const ask = await client();
  for (const pos of ["b", "Z", "b", undefined])
    await ask("POST", "/templates", { ...minimal, ...(pos === undefined ? {} : { pos }) });
  const docs = docsOf(await ask("GET", "/templates"));
  const positions = docs.map((template) => String(template["pos"]));
  expect(positions.slice(0, 3)).toEqual(["Z", "b", "b"]);
  expect(String(positions[3]) > "b").toBe(true);
  for (const template of docs) expect(template).toMatchObject(minimal);
});

test("takes names of 1 to 64 characters, counted as people count them", async () => {
  const ask = await client();
  const statusOf = async (name: string) => (await ask("POST", "/templates", { ...minimal, name })).status;
  expect(await statusOf("x")).toBe(200);
  expect(await statusOf("😀".repeat(64))).toBe(200);
  expect(await statusOf("x".repeat(65))).toBe(422);
  expect(await statusOf("")).toBe(422);
});

test.each([
  [{}, ["name", "content", "fields"]],
  [{ ...minimal, content: null }, ["content"]],
  [{ ...minimal, fields: { a: { id: "b" } } }, ["fields"]],
  [{ ...minimal, fields: { a: {} } }, ["fields"]],
  [{ ...minimal, fields: { a: { id: "a", type: "poem" } } }, ["fields"]],
  [{ ...minimal, style: { "text-alignment": "top" } }, ["style"]],
  [{ ...minimal, options: { "show-sides-separately?": "no" }, pos: "" }, ["options", "pos"]],
])("refuses the template %j", async (body, fields) => {
  const answer = await (await client())("POST", "/templates", body);
  expect(answer.status).toBe(422);
  expect(Object.keys(answer.body["errors"] ?? {}).sort()).toEqual([...fields].sort());
});

test("has no update and no delete of templates, as documented", async () => {
  const ask = await client();
  const path = `/templates/${idOf(await ask("POST", "/templates", minimal))}`;
  for (const method of ["POST", "DELETE"])
    expect(await ask(method, path, method === "POST" ? {} : undefined)).toMatchObject({
      status: 405,
      headers: { allow: "GET, HEAD" },
    });
  expect((await ask("GET", "/templates/nothere1")).status).toBe(404);
});

test("writes keywords of a template as keywords in transit", async () => {
  const ask = await client();
  const body = { ...minimal, fields: { a: { id: "a", type: "text" } }, style: { "text-alignment": "left" } };
  const path = `/templates/${idOf(await ask("POST", "/templates", body))}`;
  expect((await ask("GET", path, undefined, { accept: "application/transit+json" })).body).toMatchObject({
    "~:fields": { "~:a": { "~:id": "~:a", "~:type": "~:text" } },
    "~:style": { "~:text-alignment": "~:left" },
  });
});
