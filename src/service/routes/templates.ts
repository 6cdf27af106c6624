import { check, type Template, type TemplateCreate, templateCreate } from "../../schema/index.ts";
import { notFound, refuseInvalid } from "../errors.ts";
import { randomId } from "../ids.ts";
import { pageOf } from "../pages.ts";
import { positionAfter, positionBytes, positionText } from "../positions.ts";
import type { Handler } from "../service.ts";
import type { TemplateDocument, TemplateRow } from "../store/tables.ts";
import {
  insertTemplate,
  lastTemplatePosition,
  templateById,
  templatePlace,
  templatesAfter,
} from "../store/templates.ts";
import { known } from "./bodies.ts";

const pageLength = 100;

const list: Handler = async (call, service) => ({
  document: await pageOf<TemplateRow>(call, service, {
    name: "templates",
    rows: (db, after) => templatesAfter(db, call.account, { after, limit: pageLength }),
    place: templatePlace,
    documents: (_, rows) => rows.map(templateOf),
  }),
});

const create: Handler = async ({ account, body }, { store, random }) => {
  refuseInvalid(check(templateCreate, body, "sent"));
  const { pos, ...document } = known(templateCreate, body) as TemplateCreate;
  return store.write(async (db) => {
    let id = randomId(random);
    while ((await templateById(db, account, id)) !== undefined) id = randomId(random);
    const row = {
      account,
      id,
      pos: positionBytes(pos ?? positionAfter(await lastTemplatePosition(db, account))),
      document: JSON.stringify(document),
    };
    await insertTemplate(db, row);
    return { document: templateOf(row) };
  });
};

const get: Handler = async ({ account, params }, { store }) => {
  const row = await templateById(store.db, account, params["template-id"] ?? "");
  if (row === undefined) throw notFound("there is no such template");
  return { document: templateOf(row) };
};

export const templates = { list, create, get };

/** The Template of the API: its id, its position, and what was given. */
function templateOf(row: TemplateRow): Template {
  const { name, content, ...rest } = JSON.parse(row.document) as TemplateDocument;
  return { id: row.id, name, content, pos: positionText(row.pos), ...rest };
}
