import { version } from "../../../package.json";
import type { Extension, OperationId, ServiceInfo } from "../../schema/index.ts";
import { type Route, route } from "../route.ts";
import { cards } from "./cards.ts";
import { decks } from "./decks.ts";
import { due } from "./due.ts";
import { templates } from "./templates.ts";

const extensions: readonly Extension[] = [
  "reviews",
  "attachment-list",
  "attachment-download",
  "due-pages",
  "conditional-writes",
  "schedule",
  "ids",
  "batch",
  "today",
  "deck-settings",
  "due-writes",
  "template-writes",
];

// These load libraries of their own, so they are loaded on first use: starting takes most of the time of a command.
const attachments = async () => (await import("./attachments.ts")).attachments;
const reviews = async () => (await import("./reviews.ts")).reviews;
const schedule = async () => (await import("./schedule.ts")).scheduleRoutes;
const today = async () => (await import("./today.ts")).todayRoutes;

/** The handler of each operation. */
export const handlers: { readonly [O in OperationId]: Route<O> } = {
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
  "templates.update": templates.update,
  "templates.delete": templates.delete,
  "due.list": due.list,
  "due.deck": due.deck,
  "reviews.create": loaded(async () => (await reviews()).create),
  "reviews.add": loaded(async () => (await reviews()).add),
  "reviews.delete": loaded(async () => (await reviews()).delete),
  "schedule.get": loaded(async () => (await schedule()).get),
  "schedule.put": loaded(async () => (await schedule()).put),
  "schedule.delete": loaded(async () => (await schedule()).delete),
  "batch.apply": loaded(async () => (await import("./batch.ts")).batch),
  "today.get": loaded(async () => (await today()).get),
  "today.cards": loaded(async () => (await today()).cards),
  "today.put": loaded(async () => (await today()).put),
  "due.put": loaded(async () => (await reviews()).setDue),
  "service.describe": route(async (_, service) => ({
    document: {
      ...{ service: "deckhand", version, extensions },
      store: (await service.bookmarks()).store,
    } satisfies ServiceInfo,
  })),
};

function loaded<O extends OperationId>(load: () => Promise<Route<O>>): Route<O> {
  return async (draft, service) => (await load())(draft, service);
}
