import type { Template, TemplateCreate } from "../../schema/index.ts";
import { positionAfter } from "../../schema/position.ts";
import { notFound, refuseInvalid } from "../errors.ts";
import { randomId } from "../ids.ts";
import { beginPage } from "../pages.ts";
import { positionBytes, positionText } from "../positions.ts";
import type { Handler } from "../service.ts";
import type { TemplateDocument, TemplateRow } from "../store/tables.ts";
import {
  insertTemplate,
  lastTemplatePosition,
  templateById,
  templatePlace,
  templatesAfter,
} from "../store/templates.ts";

const pageLength = 100;

const list: Handler = async (call, service) => {
  const page = await beginPage(call, service, "templates");
  const rows = await templatesAfter(service.store.db, call.account, { after: page.after, limit: pageLength });
  const last = rows.at(-1);
  const docs = rows.map(templateOf);
  return { document: { docs, bookmark: page.bookmark(last && templatePlace(last)) } };
};

const create: Handler = async ({ account, body, problems }, { store, random }) => {
  refuseInvalid(problems);
  const { pos, ...document } = body as TemplateCreate;
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
