import type { OperationId } from "../../schema/index.ts";
import type { Handler } from "../service.ts";

type Handlers = Readonly<Record<string, Handler>>;

// Each resource is loaded when it is first asked for: starting is most of what a command costs.
const resources: Readonly<Record<string, () => Promise<Handlers>>> = {
  cards: async () => (await import("./cards.ts")).cards,
  decks: async () => (await import("./decks.ts")).decks,
  templates: async () => (await import("./templates.ts")).templates,
  attachments: async () => (await import("./attachments.ts")).attachments,
  due: async () => (await import("./due.ts")).due,
  reviews: async () => (await import("./reviews.ts")).reviews,
  service: async () => (await import("./service.ts")).service,
};

/** The handler of an operation. Every operation has one; a test asks for them all. */
export async function handlerOf(id: OperationId): Promise<Handler> {
  const [resource = "", verb = ""] = id.split(".");
  const handler = (await resources[resource]?.())?.[verb];
  if (handler === undefined) throw new Error(`${id} has no handler`);
  return handler;
}
