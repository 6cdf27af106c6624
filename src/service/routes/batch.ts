import { type BatchedId, batched, batchLimits, isMap, type OperationId } from "../../schema/index.ts";
import { checked } from "../body.ts";
import { invalid, Problem } from "../errors.ts";
import { otherRequests } from "../pauses.ts";
import { type Draft, type ListItem, type Reply, route, type Service, type WritingRoute } from "../route.ts";
import type { Db } from "../store/tables.ts";
import { cards } from "./cards.ts";
import { decks } from "./decks.ts";
import { reviews } from "./reviews.ts";
import { templates } from "./templates.ts";

const operations: Readonly<Record<BatchedId, WritingRoute<never>>> = {
  "cards.create": cards.create,
  "decks.create": decks.create,
  "templates.create": templates.create,
  "cards.update": cards.update,
  "decks.update": decks.update,
  "reviews.add": reviews.add,
};

/** What the document of an operation is called in the results: reviews are of a card. */
const documentOf = (name: BatchedId) =>
  name.startsWith("reviews") ? "card" : name.slice(0, name.indexOf("s."));

type Sender = Pick<Draft, "account" | "request">;

/**
 * Operations in order, in one transaction: one that is refused has changed nothing, and is reported in its place; any other
 * failure undoes all. So a batch may be sent again as it is.
 */
export const batch = route<"batch.apply">(async ({ account, body, request }, service) => {
  const given: readonly unknown[] = body.operations;
  if (given.length > batchLimits.operations)
    throw invalid({ operations: `has more than ${batchLimits.operations} items` });
  const results = await service.store.write(account, async (db) => {
    const done: ListItem[] = [];
    for (const operation of given) {
      // A store that is embedded never waits: requests that read are answered in between.
      if (done.length % 50 === 49) await otherRequests();
      done.push(await carriedOut(operation, { account, request }, db, service));
    }
    return done;
  });
  return { key: "results", items: [results], bookmark: () => undefined };
});

async function carriedOut(given: unknown, of: Sender, db: Db, service: Service): Promise<ListItem> {
  try {
    const names = isMap(given) ? (Object.keys(batched) as BatchedId[]).filter((name) => name in given) : [];
    const [name] = names;
    if (!isMap(given) || name === undefined || names.length > 1)
      throw new Problem(422, ["it must have exactly one operation"]);
    return resultOf(await operations[name].within(draftOf(name, given, of) as never, db, service), name);
  } catch (error) {
    if (error instanceof Problem && error.status < 500)
      return { document: { status: error.status, errors: error.errors } };
    throw error;
  }
}

/** The request that the operation would be alone. */
function draftOf(
  name: BatchedId,
  given: Readonly<Record<string, unknown>>,
  { account, request }: Sender,
): Draft<OperationId> {
  const sent = given[name];
  const { values, problems } = isMap(sent)
    ? checked(batched[name], sent)
    : { values: {}, problems: { [name]: "must be a map" } };
  const creates = name.endsWith(".create");
  const unnamed = creates && values["id"] === undefined && problems?.["id"] === undefined;
  const id = typeof given["id"] === "string" ? given["id"] : "";
  const { "if-match": tag } = given;
  return {
    account,
    params: { "card-id": id, "deck-id": id },
    query: {},
    body: values,
    problems: unnamed ? { ...problems, id: "is required in a batch" } : problems,
    request: { ...request, headers: typeof tag === "string" ? { "if-match": tag } : {} },
    batched: true,
  } as Draft<OperationId>;
}

function resultOf(reply: Reply, name: BatchedId): ListItem {
  const of = documentOf(name);
  // What was created before and deleted since has no document.
  if (reply === undefined)
    return { document: { status: 204, ...(name.endsWith(".create") ? { "before?": true } : {}) } };
  const before = "before" in reply && reply.before ? { "before?": true } : {};
  if ("json" in reply) {
    const head = JSON.stringify({ status: 200, ...before }).slice(0, -1);
    return { json: `${head},"${of}":${reply.json}}` };
  }
  if ("document" in reply) return { document: { status: 200, ...before, [of]: reply.document } };
  throw new Error("an operation of a batch answers a document");
}
