import { type Client, createClient, shortMemory } from "../client/index.ts";
import { type KnownDeck, whole } from "../decks/snapshot.ts";
import { createHttp, systemClock } from "../http/index.ts";
import type { StudyService } from "./ports.ts";

/** The calls that every command makes, for an account of this service. */
export function clientOf(service: Pick<StudyService, "send">, account: string): Client {
  const http = createHttp({
    transport: { send: (request) => service.send(account, request), close: async () => {} },
    codec: "json",
    timeout: 60_000,
    retries: 0,
    userAgent: "deckhand",
    clock: systemClock,
    random: Math.random,
  });
  return createClient(http, shortMemory(true));
}

/** All decks, in no order. */
export const decksOf = async (client: Client): Promise<readonly KnownDeck[]> =>
  (await client.decks.all()).map((deck) => whole(deck, 0));
