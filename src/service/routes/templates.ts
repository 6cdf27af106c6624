import type { Template } from "../../schema/index.ts";
import { positionAfter } from "../../schema/position.ts";
import { conflict } from "../errors.ts";
import { listing, reading, writing } from "../route.ts";
import { cardsOfTemplate } from "../store/cards.ts";
import { deleteRow, insertRow, lastPosition, updateRow } from "../store/documents.ts";
import { positionBytes, positionText } from "../store/positions.ts";
import type { TemplateDocument, TemplateRow } from "../store/tables.ts";
import { refuseChanged, templateTag } from "./conditions.ts";
import { creating, positionProblem } from "./creations.ts";
import { documentList, rowNamed } from "./slices.ts";

const list = listing<"templates.list">(
  () => "templates",
  ({ account }, page, service) =>
    documentList("template", { account }, page, service, (row) => ({ document: templateOf(row) })),
);

const create = creating("templates.create", "template", {
  problems: async ({ body }) => positionProblem(body),
  async insert({ account, body: { id: _, pos, ...given } }, db, id) {
    const place = positionBytes(pos ?? positionAfter(await lastPosition(db, "template", account)));
    const row = { account, id, pos: place, document: JSON.stringify(given) };
    await insertRow(db, "template", row);
    return answerOf(row);
  },
  answerOf,
});

const get = reading<"templates.get">(async ({ account, params }, db) =>
  answerOf(await rowNamed(db, "template", account, params["template-id"])),
);

/** Cards have their names from the primary field, and what they show is made when they are shown: no card changes. */
const update = writing<"templates.update", TemplateRow>({
  find: ({ account, params }, db) => rowNamed(db, "template", account, params["template-id"]),
  problems: async ({ body }) => positionProblem(body),
  async handle({ body, request }, db, row) {
    const { id, ...before } = templateOf(row);
    refuseChanged(request, () => templateTag({ id, ...before }));
    const { pos, ...given } = { ...before, ...body } as TemplateDocument & { readonly pos: string };
    const changed = { ...row, pos: positionBytes(pos), document: JSON.stringify(given) };
    await updateRow(db, "template", changed);
    return answerOf(changed);
  },
});

const remove = writing<"templates.delete", TemplateRow>({
  find: ({ account, params }, db) => rowNamed(db, "template", account, params["template-id"]),
  async handle({ account, request }, db, row) {
    const document = templateOf(row);
    refuseChanged(request, () => templateTag(document));
    const used = await cardsOfTemplate(db, account, row.id);
    if (used > 0) throw conflict(`${used} ${used === 1 ? "card uses" : "cards use"} the template`);
    await deleteRow(db, "template", account, row.id);
    return undefined;
  },
});

export const templates = { list, create, get, update, delete: remove };

type Stored = Pick<TemplateRow, "id" | "pos" | "document">;

function answerOf(row: Stored) {
  const document = templateOf(row);
  return { document, headers: () => templateTag(document) };
}

/** The Template of the API: its id, its position, and the fields that were given. */
function templateOf(row: Stored): Template {
  // Earlier versions stored the document in transit, too, where it had keywords.
  const stored = JSON.parse(row.document) as TemplateDocument & { readonly transit?: string };
  const { name, content, transit: _, ...rest } = stored;
  return { id: row.id, name, content, pos: positionText(row.pos), ...rest };
}
