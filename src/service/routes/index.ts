import type { OperationId } from "../../schema/index.ts";
import type { Handler } from "../service.ts";
import { cards } from "./cards.ts";
import { decks } from "./decks.ts";
import { due } from "./due.ts";
import { templates } from "./templates.ts";

type Handlers = Readonly<Record<string, Handler>>;

// What bring libraries with them, or are seldom asked for, are loaded when they are: starting is most of what a command
// costs. The others together are smaller than the cost of one more file.
const resources: Readonly<Record<string, Handlers | (() => Promise<Handlers>)>> = {
  cards,
  decks,
  templates,
  due,
  attachments: async () => (await import("./attachments.ts")).attachments,
  reviews: async () => (await import("./reviews.ts")).reviews,
  service: async () => (await import("./service.ts")).service,
};

/** The handler of an operation. Every operation has one; a test asks for them all. */
export async function handlerOf(id: OperationId): Promise<Handler> {
  const [name = "", verb = ""] = id.split(".");
  const resource = resources[name];
  const handlers = typeof resource === "function" ? await resource() : resource;
  const handler = handlers?.[verb];
  if (handler === undefined) throw new Error(`${id} has no handler`);
  return handler;
}
