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

test("accepts names of 1 to 64 characters, counted as code points", async () => {
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

test("changes and deletes a template where the extension template-writes is used, unless cards use it", async () => {
  const ask = await client();
  const id = idOf(await ask("POST", "/templates", minimal));
  const path = `/templates/${id}`;
  expect(await ask("POST", path, { name: "other" })).toMatchObject({
    status: 200,
    body: { ...minimal, id, name: "other" },
  });
  expect(await ask("POST", path, { name: "" })).toMatchObject({ status: 422 });
  const deck = idOf(await ask("POST", "/decks", { name: "d" }));
  const card = idOf(await ask("POST", "/cards", { content: "x", "deck-id": deck, "template-id": id }));
  expect(await ask("DELETE", path)).toMatchObject({
    status: 409,
    body: { errors: ["1 card uses the template"] },
  });
  await ask("DELETE", `/cards/${card}`);
  expect(await ask("DELETE", path)).toMatchObject({ status: 204 });
  expect(await ask("POST", path, { name: "x" })).toMatchObject({ status: 404 });
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

const transit = { "content-type": "application/transit+json", accept: "application/transit+json" };
const withOptions = (options: string) =>
  `{"~:name":"T","~:content":"c","~:fields":{"~:a":{"~:id":"~:a","~:type":"~:text","~:options":${options}}}}`;

test("returns options of fields as plain data, whatever their transit types", async () => {
  const ask = await client();
  const options =
    '{"~:ai-task":"~:x","~:text":"~~:x","~:set":{"~#set":["~:a",1]},"~:instant":{"~#dt":5},"~:none":"~zNaN",' +
    '"~:map":{"~:deep":["~:q",{"~#list":[1,null,true]}]}}';
  const created = await ask("POST", "/templates", withOptions(options), transit);
  const path = `/templates/${created.text.match(/"~:id":"~:(\w+)"/)?.[1]}`;
  expect((await ask("GET", path, undefined, transit)).text).toBe(created.text);
  const plain = (await ask("GET", path)).body["fields"]?.["a"]?.["options"];
  expect(plain).toEqual({
    ...{ "ai-task": "x", text: "~:x", set: ["a", 1], instant: "1970-01-01T00:00:00.005Z", none: null },
    map: { deep: ["q", [1, null, true]] },
  });
});

test.each([
  '{"x":{"":1}}',
  '{"x":{":y":1}}',
  '{"x":"\\ud800"}',
  `{"x":${"[".repeat(120)}${"]".repeat(120)}}`,
])("refuses options that no list could be read with: %.40s", async (options) => {
  const ask = await client();
  const body = `{"name":"T","content":"c","fields":{"a":{"id":"a","options":${options}}}}`;
  expect(await ask("POST", "/templates", body)).toMatchObject({
    status: 422,
    body: { errors: { fields: expect.any(String) } },
  });
});

test("ignores unknown fields at any depth of a body", async () => {
  const ask = await client();
  const deep = JSON.parse(`${"[".repeat(150)}${"]".repeat(150)}`) as unknown;
  const fields = { a: { id: "a", future: deep } };
  const created = await ask("POST", "/templates", { ...minimal, fields, style: { "": deep } });
  expect(created.body).toMatchObject({ fields: { a: { id: "a" } }, style: {} });
  expect((await ask("GET", "/templates", undefined, transit)).status).toBe(200);
});
