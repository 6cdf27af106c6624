import { loadCodec } from "../../codecs/index.ts";
import { holdsTagged, type Template, type TemplateCreate, templateCreate } from "../../schema/index.ts";
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
  const docs = await Promise.all(rows.map(templateOf));
  return { document: { docs, bookmark: page.bookmark(last && templatePlace(last)) } };
};

const create: Handler = async ({ account, body, problems }, { store, random }) => {
  refuseInvalid(problems);
  const { pos, ...given } = body as TemplateCreate;
  const document = holdsTagged(given) ? { ...given, transit: await transitOf(given) } : given;
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
    return { document: await templateOf(row) };
  });
};

const get: Handler = async ({ account, params }, { store }) => {
  const row = await templateById(store.db, account, params["template-id"] ?? "");
  if (row === undefined) throw notFound("there is no such template");
  return { document: await templateOf(row) };
};

export const templates = { list, create, get };

const transitOf = async (document: object) => (await loadCodec("transit")).encode(templateCreate, document);

/** The Template of the API: its id, its position, and what was given. */
async function templateOf(row: TemplateRow): Promise<Template> {
  const { transit, ...plain } = JSON.parse(row.document) as TemplateDocument;
  const document = transit === undefined ? plain : await documentIn(transit);
  const { name, content, ...rest } = document;
  return { id: row.id, name, content, pos: positionText(row.pos), ...rest };
}

const documentIn = async (text: string) =>
  (await loadCodec("transit")).decode(templateCreate, text, "kept") as TemplateDocument;
