import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  fromJsonSchema,
  inputRequired,
  isInputRequiredResult,
  McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { version } from "../../../package.json";
import { statsNumbers } from "../../output/stats/numbers.ts";
import { jsonSchema } from "../../schema/json-schema.ts";
import { statsOf } from "../stats/stats.ts";
import { CardTools, decksOf, type Place, refusal, said } from "./cards.ts";
import { Quiz } from "./quiz.ts";
import { type Input, inputs, outputs, type ToolName } from "./schemas.ts";

const abouts: Readonly<Record<ToolName, string>> = {
  cards_search: "Find cards. Search before you create any.",
  cards_get: "Read up to 50 cards whole. A card must be read before it is updated.",
  cards_create:
    "Create 1 to 50 cards of markdown: front, a line `---`, back; {{word}} hides a word. One fact a card. Those whose front exists in the deck are not created again.",
  cards_update:
    "Change parts of cards, move (deck), archive or trash them. Refused for a card that was changed since you read it.",
  decks_list: "List decks with what is due and new today, those under a deck counted with it.",
  decks_create: "Create a deck, or find the one of that name in its place.",
  review_next:
    "Ask the next due card: show the question to the user and wait for the answer, typed where `type` is true. Then review_reveal.",
  review_reveal: "The answer of the card that is asked: only after the user has tried. Then review_answer.",
  review_answer:
    "Record whether the user remembered the revealed card, which says when it comes back; forgotten ones come again today.",
  stats: "What was reviewed, what is due, how much is remembered.",
};

const reading: readonly ToolName[] = ["cards_search", "cards_get", "decks_list", "stats"];

/** The ten tools over the client and the review session (docs/design/mcp.md). */
export class Tools {
  readonly #place: Place;
  readonly #cards: CardTools;
  readonly #quiz: Quiz;
  readonly #running = new Set<Promise<unknown>>();

  constructor(place: Place) {
    this.#place = place;
    this.#cards = new CardTools(place);
    this.#quiz = new Quiz(place);
  }

  /** The server of a connection. @param readOnly whether nothing may be changed */
  server(readOnly: boolean): McpServer {
    const [cards, quiz, { context, home }] = [this.#cards, this.#quiz, this.#place];
    const server = new McpServer({ name: "deckhand", version }, { capabilities: { tools: {} } });
    const works: { [T in ToolName]: (input: Input<T>, context: ServerContext) => Promise<object> } = {
      cards_search: (input) => cards.search(input),
      cards_get: (input) => cards.get(input),
      cards_create: (input) => cards.create(input),
      cards_update: async (input, context) => askBefore(input, context, server) ?? cards.update(input),
      decks_list: async () => ({ decks: await decksOf(this.#place, true) }),
      decks_create: (input) => cards.createDeck(input),
      review_next: () => quiz.next(),
      review_reveal: ({ card }) => quiz.reveal(card),
      review_answer: ({ card, remembered }) => quiz.answer(card, remembered),
      stats: async () => ({
        figures: statsNumbers((await statsOf(home, { recursive: true }, context)).figures),
      }),
    };
    for (const name of Object.keys(works) as ToolName[])
      if (!readOnly || reading.includes(name))
        server.registerTool(name, configOf(name), (input, context) =>
          this.#result(works[name](input as never, context)),
        );
    return server;
  }

  /** Waits for what is under way: what was sent is completed though the client has left. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#running);
    await this.#quiz.close();
  }

  async #result(running: Promise<object>): Promise<CallToolResult> {
    this.#running.add(running);
    try {
      const result = await running;
      if (isInputRequiredResult(result)) return result as unknown as CallToolResult;
      return { content: [{ type: "text", text: JSON.stringify(result) }], structuredContent: { ...result } };
    } catch (error) {
      return { content: [{ type: "text", text: said(error) }], isError: true };
    } finally {
      this.#running.delete(running);
    }
  }
}

function configOf(name: ToolName) {
  // A mistyped argument is an error; maps, which have these already, keep them: of two the last counts.
  const strict = JSON.stringify(jsonSchema(inputs[name])).replaceAll(
    '"type":"object"',
    '"type":"object","additionalProperties":false',
  );
  const hints = { readOnlyHint: reading.includes(name), destructiveHint: name === "cards_update" };
  return {
    description: abouts[name],
    inputSchema: fromJsonSchema<unknown>(JSON.parse(strict)),
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
  const isAgreed = confirm || acceptedContent<{ trash?: boolean }>(inputResponses, "trash")?.trash;
  if (trashed < 2 || dryRun || isAgreed) return undefined;
  const declared = (envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY];
  const capabilities = (declared ?? server.getClientCapabilities()) as ClientCapabilities | undefined;
  if (inputResponses !== undefined || capabilities?.elicitation === undefined)
    throw refusal(
      `nothing was changed: ${trashed} cards would be trashed`,
      "Ask the user, then call again with confirm: true.",
    );
  const message = `Move ${trashed} cards to the trash?`;
  const requestedSchema = { type: "object" as const, properties: { trash: { type: "boolean" as const } } };
  return inputRequired({ inputRequests: { trash: inputRequired.elicit({ message, requestedSchema }) } });
}
