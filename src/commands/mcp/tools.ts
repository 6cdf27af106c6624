import {
  type CallToolResult,
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
import { CardTools, decksOf, type Place, refusal, said } from "./cards.ts";
import { Quiz } from "./quiz.ts";
import { type Input, inputs, outputs, type ToolName } from "./schemas.ts";

const abouts: Readonly<Record<ToolName, string>> = {
  cards_search: "Find cards. Search before you create any.",
  cards_get: "Read up to 50 cards whole. A card must be read before it is updated.",
  cards_create:
    "Create 1 to 50 cards of markdown: front, a line `---`, back; {{word}} hides a word. One fact a card. Those whose front exists in the deck are not created again.",
  cards_update: "Change, move (deck), archive or trash cards: only those that are as you last read them.",
  decks_list: "List decks with what is due and new today, those under a deck counted with it.",
  decks_create: "Create a deck, or find the one of that name in its place.",
  review_next:
    "Ask the next due card: show the question to the user and wait for the answer, typed where `type` is true. Then review_reveal.",
  review_reveal: "The answer of the card that is asked: only after the user has tried. Then review_answer.",
  review_answer: "Record whether the user remembered: says when the card comes back, forgotten ones today.",
  stats: "What was reviewed, what is due, how much is remembered.",
};

const reading: readonly ToolName[] = ["cards_search", "cards_get", "decks_list", "stats"];

/**
 * Serves the ten tools over the client and the review session.
 *
 * @param readOnly whether nothing may be changed
 * @returns what ends it, once what is under way is done: what was sent is completed though the client has left
 */
export function serveTools(place: Place, readOnly: boolean): () => Promise<void> {
  const [cards, quiz] = [new CardTools(place), new Quiz(place)];
  const works: {
    [T in ToolName]: (input: Input<T>, context: ServerContext, server: McpServer) => Promise<object>;
  } = {
    cards_search: (input) => cards.search(input),
    cards_get: (input) => cards.get(input),
    cards_create: (input) => cards.create(input),
    cards_update: async (input, ...from) => askBefore(input, ...from) ?? cards.update(input),
    decks_list: async () => ({ decks: await decksOf(place, true) }),
    decks_create: (input) => cards.createDeck(input),
    review_next: () => quiz.next(),
    review_reveal: ({ card }) => quiz.reveal(card),
    review_answer: ({ card, remembered }) => quiz.answer(card, remembered),
    stats: async () => {
      const { figures } = await statsOf(place.home, { recursive: true }, place.context);
      return { figures: statsNumbers(figures) };
    },
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
  const { stdin, stdout } = place.context.io;
  const handle = serveStdio(serverOfClient, { transport: new StdioServerTransport(stdin, stdout) });
  return async () => {
    await Promise.allSettled(running);
    await quiz.close();
    await handle.close();
  };
}

async function resultOf(work: Promise<object>): Promise<CallToolResult> {
  try {
    const result = await work;
    if (isInputRequiredResult(result)) return result as unknown as CallToolResult;
    return { content: [{ type: "text", text: JSON.stringify(result) }], structuredContent: { ...result } };
  } catch (error) {
    return { content: [{ type: "text", text: said(error) }], isError: true };
  }
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
 * @throws DeckhandError where the caller has to ask the user itself
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
  if (inputResponses !== undefined || capabilities?.elicitation === undefined)
    throw refusal(
      `nothing was changed: ${trashed} cards would be trashed`,
      "Ask the user, then call again with confirm: true.",
    );
  const message = `Move ${trashed} cards to the trash?`;
  const trash = inputRequired.elicit({ message, requestedSchema: { type: "object", properties: {} } });
  return inputRequired({ inputRequests: { trash } });
}
