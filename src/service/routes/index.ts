import { version } from "../../../package.json";
import { extensions, type OperationId, type ServiceInfo } from "../../schema/index.ts";
import { type Route, route } from "../route.ts";
import { cards } from "./cards.ts";
import { decks } from "./decks.ts";
import { due } from "./due.ts";
import { templates } from "./templates.ts";

const describe = route<"service.describe">(async (_, service) => ({
  document: {
    ...{ service: "deckhand", version, extensions },
    store: (await service.bookmarks()).store,
  } satisfies ServiceInfo,
}));

type Noun = OperationId extends `${infer N}.${string}` ? N : never;
type RoutesOf<N extends Noun> = {
  readonly [O in OperationId as O extends `${N}.${infer Verb}` ? Verb : never]: Route<O>;
};

const reviews = async () => (await import("./reviews.ts")).reviews;

/**
 * The handlers of the operations, by noun and verb. Those that load libraries of their own are loaded on first use: starting
 * takes most of the time of a command.
 */
const nouns: { readonly [N in Noun]: RoutesOf<N> | (() => Promise<RoutesOf<N>>) } = {
  cards,
  decks,
  templates,
  due: { ...due, put: async (draft, service) => (await reviews()).setDue(draft, service) },
  attachments: async () => (await import("./attachments.ts")).attachments,
  reviews,
  schedule: async () => (await import("./schedule.ts")).scheduleRoutes,
  today: async () => (await import("./today.ts")).todayRoutes,
  batch: async () => ({ apply: (await import("./batch.ts")).batch }),
  service: { describe },
};

/** Handlers are typed by their operation; which one it is, is known only at run time. */
export async function handlerOf(id: OperationId): Promise<Route<OperationId>> {
  const [noun = "", verb = ""] = id.split(".");
  const found = nouns[noun as Noun];
  const routes = typeof found === "function" ? await found() : found;
  return (routes as unknown as Readonly<Record<string, Route<OperationId>>>)[verb] as Route<OperationId>;
}
