import type { OperationId } from "../../schema/index.ts";
import type { Handler } from "../service.ts";
import { cards } from "./cards.ts";
import { decks } from "./decks.ts";
import { due } from "./due.ts";
import { templates } from "./templates.ts";

// What bring libraries with them, or are seldom asked for, are loaded when they are: starting is most of what a command
// costs. The others together are smaller than the cost of one more file.
const attachments = async () => (await import("./attachments.ts")).attachments;
const reviews = async () => (await import("./reviews.ts")).reviews;
const service = async () => (await import("./service.ts")).service;

/** The handler of each operation. */
export const handlers: Readonly<Record<OperationId, Handler>> = {
  "cards.list": cards.list,
  "cards.create": cards.create,
  "cards.get": cards.get,
  "cards.update": cards.update,
  "cards.delete": cards.delete,
  "attachments.add": loaded(async () => (await attachments()).add),
  "attachments.remove": loaded(async () => (await attachments()).remove),
  "attachments.list": loaded(async () => (await attachments()).list),
  "attachments.all": loaded(async () => (await attachments()).all),
  "attachments.get": loaded(async () => (await attachments()).get),
  "decks.list": decks.list,
  "decks.create": decks.create,
  "decks.get": decks.get,
  "decks.update": decks.update,
  "decks.delete": decks.delete,
  "templates.list": templates.list,
  "templates.create": templates.create,
  "templates.get": templates.get,
  "due.list": due.list,
  "due.deck": due.deck,
  "reviews.create": loaded(async () => (await reviews()).create),
  "reviews.delete": loaded(async () => (await reviews()).delete),
  "service.describe": loaded(async () => (await service()).describe),
};

function loaded(load: () => Promise<Handler>): Handler {
  return async (call, service) => (await load())(call, service);
}
