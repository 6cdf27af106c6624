import { loadCodec } from "../../codecs/index.ts";
import { holdsTagged, type Template, templateCreate } from "../../schema/index.ts";
import { positionAfter } from "../../schema/position.ts";
import { conflict, notFound } from "../errors.ts";
import { listing, reading, writing } from "../route.ts";
import { rowById } from "../store/documents.ts";
import { positionBytes, positionText } from "../store/positions.ts";
import type { Db, TemplateDocument, TemplateRow } from "../store/tables.ts";
import {
  cardsOfTemplate,
  deleteTemplate,
  insertTemplate,
  type ListedTemplate,
  lastTemplatePosition,
  templatesAfter,
  updateTemplate,
} from "../store/templates.ts";
import { refuseChanged, templateTag } from "./conditions.ts";
import { type Creation, creationOf, idProblem } from "./creations.ts";
import { positionProblem } from "./limits.ts";
import { listReply, type Slices } from "./slices.ts";

const pageLength = 100;

const list = listing<"templates.list">(
  () => "templates",
  async ({ account }, { after, bookmark }, { store }) => {
    const slices: Slices<ListedTemplate> = {
      store,
      table: "template",
      account,
      after,
      limit: pageLength,
      slice: (db, place, count) => templatesAfter(db, account, { after: place, limit: count }),
    };
    return listReply("docs", slices, async (row) => ({ document: await templateOf(row) }), bookmark);
  },
);

const create = writing<"templates.create", Creation>({
  find: (draft, db, { random }) => creationOf("templates.create", draft, db, "template", random),
  problems: async ({ body }) => ({ ...positionProblem(body), ...idProblem(body) }),
  async handle({ account, body: { id: _, pos, ...given } }, db, { before, begin }) {
    if (before !== undefined) {
      const there = await rowById(db, "template", account, before);
      return there && { ...(await answerOf(there)), before: true };
    }
    const document = holdsTagged(given) ? { ...given, transit: await transitOf(given) } : given;
    const row = {
      account,
      id: await begin(),
      pos: positionBytes(pos ?? positionAfter(await lastTemplatePosition(db, account))),
      document: JSON.stringify(document),
    };
    await insertTemplate(db, row);
    return answerOf(row);
  },
});

const get = reading<"templates.get">(async ({ account, params }, db) =>
  answerOf(await templateNamed(db, account, params["template-id"])),
);

/** Cards have their names from the primary field, and what they show is made when they are shown: no card changes. */
const update = writing<"templates.update", TemplateRow>({
  find: ({ account, params }, db) => templateNamed(db, account, params["template-id"]),
  problems: async ({ body }) => positionProblem(body),
  async handle({ body, request }, db, row) {
    const { id, ...before } = await templateOf(row);
    refuseChanged(request, () => templateTag({ id, ...before }));
    const { pos, ...given } = { ...before, ...body } as TemplateDocument & { readonly pos: string };
    const document = holdsTagged(given) ? { ...given, transit: await transitOf(given) } : given;
    const changed = { ...row, pos: positionBytes(pos), document: JSON.stringify(document) };
    await updateTemplate(db, changed);
    return answerOf(changed);
  },
});

const remove = writing<"templates.delete", TemplateRow>({
  find: ({ account, params }, db) => templateNamed(db, account, params["template-id"]),
  async handle({ account, request }, db, row) {
    const document = await templateOf(row);
    refuseChanged(request, () => templateTag(document));
    const used = await cardsOfTemplate(db, account, row.id);
    if (used > 0) throw conflict(`${used} ${used === 1 ? "card uses" : "cards use"} the template`);
    await deleteTemplate(db, account, row.id);
    return undefined;
  },
});

export const templates = { list, create, get, update, delete: remove };

/** @throws Problem 404 */
async function templateNamed(db: Db, account: string, id: string): Promise<TemplateRow> {
  const row = await rowById(db, "template", account, id);
  if (row === undefined) throw notFound("there is no such template");
  return row;
}

const transitOf = async (document: object) => (await loadCodec("transit")).encode(templateCreate, document);

async function answerOf(row: TemplateRow) {
  const document = await templateOf(row);
  return { document, headers: () => templateTag(document) };
}

/** The Template of the API: its id, its position, and the fields that were given. */
async function templateOf(row: TemplateRow): Promise<Template> {
  const { transit, ...plain } = JSON.parse(row.document) as TemplateDocument;
  const document = transit === undefined ? plain : await documentIn(transit);
  const { name, content, ...rest } = document;
  return { id: row.id, name, content, pos: positionText(row.pos), ...rest };
}

const documentIn = async (text: string) =>
  (await loadCodec("transit")).decode(templateCreate, text, "kept") as TemplateDocument;
