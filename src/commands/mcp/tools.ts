import { once } from "node:events";
import { finished } from "node:stream/promises";
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  fromJsonSchema,
  inputRequired,
  inputResponse,
  isInputRequiredResult,
  McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { version } from "../../../package.json";
import { statsNumbers } from "../../output/stats/numbers.ts";
import { type Json, jsonSchema } from "../../schema/json-schema.ts";
import type { Kind } from "../../schema/kinds.ts";
import { statsOf } from "../stats/stats.ts";
import { CardTools, listDecks, type Place, refusal, said } from "./cards.ts";
import { Quiz } from "./quiz.ts";
import { type Input, inputs, outputs, type ToolName } from "./schemas.ts";

const abouts: Readonly<Record<ToolName, string>> = {
  cards_search: "Find cards. Search before you create any.",
  cards_get: "Read up to 50 cards whole. A card must be read before it is updated.",
  cards_create:
    "Create 1 to 50 cards of markdown: front, a line `---`, back; {{word}} hides a word. One fact a card. Those whose front exists in the deck, as the card `id`, are not created again.",
  cards_update: "Change, move (deck), archive or trash cards: only those that are as you last read them.",
  decks_list: "List decks with what is due and new today, those under a deck counted with it.",
  decks_create: "Create a deck, or find the one of that name in its place.",
  review_next: "Show the user the question of the next due card (`type`: to be typed), then review_reveal.",
  review_reveal: "The answer of that card, only after the user has tried. Then review_answer.",
  review_answer:
    "Record whether the user remembered. It says when the card is due, or `again`: today once more.",
  stats: "What was reviewed, what is due, how much is remembered.",
};

const reading: readonly ToolName[] = ["cards_search", "cards_get", "decks_list", "stats"];

/** Serves the ten tools over the client and the review session until input ends. @param readOnly whether nothing may be changed */
export async function serveTools(place: Place, readOnly: boolean): Promise<void> {
  const [cards, quiz] = [new CardTools(place), new Quiz(place)];
  const works: {
    [T in ToolName]: (input: Input<T>, context: ServerContext, server: McpServer) => Promise<object>;
  } = {
    cards_search: (input) => cards.search(input),
    cards_get: (input) => cards.get(input),
    cards_create: (input) => cards.create(input),
    cards_update: async (input, ...from) => askBefore(input, ...from) ?? cards.update(input),
    decks_list: () => listDecks(place),
    decks_create: (input) => cards.createDeck(input),
    review_next: () => quiz.next(),
    review_reveal: ({ card }) => quiz.reveal(card),
    review_answer: ({ card, remembered }) => quiz.answer(card, remembered),
    stats: async () => ({
      figures: statsNumbers((await statsOf(place.home, { recursive: true }, place.context)).figures),
    }),
  };
  const running = new Set<Promise<unknown>>();
  const serverOfClient = () => {
    const server = new McpServer({ name: "deckhand", version }, { capabilities: { tools: {} } });
    for (const name of Object.keys(works) as ToolName[])
      if (!readOnly || reading.includes(name))
        server.registerTool(name, configOf(name), (input, context) => {
          const work = resultOf(works[name](input as never, context, server));
          running.add(work);
          return work.finally(() => running.delete(work));
        });
    return server;
  };
  const { io, signal } = place.context;
  const handle = serveStdio(serverOfClient, { transport: new StdioServerTransport(io.stdin, io.stdout) });
  const end = [finished(io.stdin, { signal, writable: false }), once(io.stdout, "error")];
  await Promise.race(end).catch(() => {});
  // What was sent is completed though the client has left.
  await Promise.allSettled(running);
  await quiz.close();
  await handle.close();
}

async function resultOf(work: Promise<object>) {
  const result = await work.catch((error) => {
    throw new Error(said(error));
  });
  if (isInputRequiredResult(result)) return result;
  const content = [{ type: "text" as const, text: JSON.stringify(result) }];
  return { content, structuredContent: { ...result } };
}

/** The schema of a kind in which a mistyped argument is an error. */
const strict = (kind: Kind): Json => ({
  ...(kind.kind === "object" ? { additionalProperties: false } : {}),
  ...jsonSchema(kind, strict),
});

function configOf(name: ToolName) {
  const hints = { readOnlyHint: reading.includes(name), destructiveHint: name === "cards_update" };
  return {
    description: abouts[name],
    inputSchema: fromJsonSchema<unknown>({ ...strict(inputs[name]) }),
    outputSchema: fromJsonSchema<unknown>({ ...jsonSchema(outputs[name]) }),
    annotations: { ...hints, openWorldHint: false },
  };
}

/**
 * The question before several cards are trashed, where the client can ask it; undefined where there is none, or it was
 * answered with yes.
 *
 * @throws UsageError where it was answered with no, or the caller has to ask it
 */
function askBefore(
  { cards, confirm, dryRun }: Input<"cards_update">,
  { mcpReq: { envelope, inputResponses } }: ServerContext,
  { server }: McpServer,
) {
  const trashed = cards.filter((card) => card.trashed).length;
  const answer = inputResponse(inputResponses, "trash");
  const isAgreed = confirm || (answer.kind === "elicit" && answer.action === "accept");
  if (trashed < 2 || dryRun || isAgreed) return undefined;
  const declared = (envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY];
  const capabilities = (declared ?? server.getClientCapabilities()) as ClientCapabilities | undefined;
  if (answer.kind !== "missing")
    throw refusal("the user did not agree: nothing was changed", "Leave these cards as they are.");
  if (capabilities?.elicitation === undefined)
    throw refusal(
      `nothing was changed: ${trashed} cards would be trashed`,
      "Ask the user, then call again with confirm: true.",
    );
  const message = `Move ${trashed} cards to the trash?`;
  const trash = inputRequired.elicit({ message, requestedSchema: { type: "object", properties: {} } });
  return inputRequired({ inputRequests: { trash } });
}
