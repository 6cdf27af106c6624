import { type EmbeddedCard, fetchEmbeds } from "../../cards/embeds.ts";
import { ifNamed, withTemplate } from "../../client/if-there.ts";
import type { Client } from "../../client/index.ts";
import type { Context } from "../../context/context.ts";
import { assertEditor, editAt } from "../../context/editor.ts";
import { DeckhandError } from "../../errors.ts";
import type { World } from "../../review/ports.ts";
import { openLog } from "../../review/session/log.ts";
import type { Change } from "../../review/session/state.ts";
import type { Card, CardUpdate, Deck } from "../../schema/index.ts";
import { changeInEditor } from "../cards/edit.ts";
import { fileOf, withRecord } from "../shared/account.ts";
import { manualTags } from "../tags.ts";
import { wholeDay } from "./day.ts";
import { openLink, SoundPlayer } from "./open-link.ts";
import { reasonOf } from "./recording.ts";
import { logPath } from "./review-log.ts";
import { todayFigures } from "./today.ts";

interface SessionWorldSettings {
  readonly context: Context;
  /** Whether anything of the session is recorded. */
  readonly records: boolean;
  /** Gives up soon, so that the session goes on. */
  readonly client: Client;
  /** Cards that are known whole already. */
  readonly whole: ReadonlyMap<string, Card>;
  /** The cards that others show in themselves: filled as cards are fetched. */
  readonly embedded: Map<string, EmbeddedCard>;
  readonly render: World["render"];
  readonly onPictures: World["onPictures"];
}

/** The world of a session: the account in use, the user's editor and desktop. */
export function sessionWorld(settings: SessionWorldSettings): World {
  const { context, client, records, render, onPictures } = settings;
  const player = new SoundPlayer(context);
  return {
    ...cardLoader(settings),
    async change(cardId, change) {
      try {
        if (records || !("putOff" in change)) await changeCard(cardId, change, client, context);
        return { ok: true };
      } catch (error) {
        return { ok: false, reason: reasonOf(error) };
      }
    },
    edit: (cardId) => editCard(cardId, client, context),
    open: (cardId, link) => openLink(cardId, link, context).catch(reasonOf),
    play: (cardId, files) => player.play(cardId, files).catch(reasonOf),
    silence: () => player.silence(),
    forecast: () =>
      todayFigures(wholeDay, context, 1).then(
        ({ today: { count }, tomorrow, streak }) => ({ left: count, tomorrow, streak }),
        () => undefined,
      ),
    onPictures,
    render,
  };
}

/** Fetches cards with what they need to be shown; each deck and template once. */
export function cardLoader({
  context,
  client,
  whole,
  embedded,
}: Pick<SessionWorldSettings, "context" | "client" | "whole" | "embedded">): Pick<
  World,
  "load" | "deckPath"
> {
  const known = new Map(whole);
  const decks = remembered((id) => client.decks.get(id));
  const templates = remembered((id) => client.templates.get(id));
  const paths = new Map<string, string>();
  /** Shown until the whole path is known. */
  const deckNames = new Map<string, string>();

  const findPath = async (deckId: string) => {
    const names = await context.names();
    paths.set(deckId, (await names.path(deckId)) ?? deckId);
  };

  const read = async (id: string) => withTemplate(known.get(id) ?? (await client.cards.get(id)), templates);

  return {
    async load(cardId) {
      try {
        const found = await read(cardId);
        // Edited meanwhile, it is fetched again.
        known.delete(cardId);
        const deckId = found.card["deck-id"] ?? undefined;
        if (deckId !== undefined && !paths.has(deckId))
          void findPath(deckId).catch(() => paths.set(deckId, deckId));
        const deck = await withRetention(await ifNamed(deckId, decks), decks, client);
        if (deck?.name != null) deckNames.set(deck.id, deck.name);
        await fetchEmbeds(found, read, embedded);
        return { kind: "card", ...found, deck };
      } catch (error) {
        if (error instanceof DeckhandError && error.code === "not-found") return { kind: "gone" };
        return { kind: "later", reason: reasonOf(error) };
      }
    },
    deckPath: (deckId) => paths.get(deckId) ?? deckNames.get(deckId) ?? "",
  };
}

/** @returns the card after it, where the service says so */
export async function changeCard(
  cardId: string,
  change: Change | { readonly deck: string },
  client: Client,
  context: Context,
): Promise<Card | undefined> {
  if ("putOff" in change) {
    await putOff(cardId, change.putOff, client, context);
    return undefined;
  }
  const body = await bodyOf(cardId, change, client, context.clock.now());
  const card = await client.cards.update(cardId, body);
  if ("trashed" in change && !change.trashed) await assertRestored(client, cardId);
  return card;
}

/** "Not today": on the service, or where it cannot keep that in the log of this machine. */
async function putOff(cardId: string, off: boolean, client: Client, context: Context): Promise<void> {
  if (await client.service.has("today")) return client.today.put(cardId, { "put-off": off });
  const log = openLog(logPath(context));
  try {
    log.append({ type: "put-off", "card-id": cardId, at: new Date(context.clock.now()).toISOString(), off });
  } finally {
    log.close();
  }
}

export async function editCard(cardId: string, client: Client, context: Context): Promise<string> {
  try {
    const edited = await editInFile(cardId, context);
    if (edited !== undefined) return edited;
    const change = await changeInEditor(cardId, context, client, true);
    return change === "nothing" || change === undefined ? "Nothing changed." : "The card was changed.";
  } catch (error) {
    if (!(error instanceof DeckhandError)) throw error;
    // Where the text is kept must not be lost with the line that says so.
    if (error.hint !== undefined) context.io.note(error.inFull);
    return error.inFull;
  }
}

/** Opens the file that has the card at its line, and reads it again. Undefined for a card of no followed file. */
async function editInFile(cardId: string, context: Context): Promise<string | undefined> {
  const found = await withRecord(context, async (record) => fileOf(cardId, record));
  if (found === undefined) return undefined;
  assertEditor(context.io, context.world.env);
  await editAt(found.path, found.line, context.world);
  const { follow, sentence } = await import("../notes/follow.ts");
  return `${sentence(await follow(found.row.source, { asks: false }, context))}.`;
}

async function bodyOf(
  cardId: string,
  change: Exclude<Change, { readonly putOff: boolean }> | { readonly deck: string },
  client: Client,
  at: number,
): Promise<CardUpdate> {
  if ("deck" in change) return { "deck-id": change.deck };
  if ("archived" in change) return { "archived?": change.archived };
  if ("trashed" in change) return { "trashed?": change.trashed ? new Date(at).toISOString() : null };
  // Tags are replaced as a whole, and another device may have changed them since the card was fetched.
  const { tags, before } = change;
  const now = await manualTags(await client.cards.get(cardId));
  const kept = now.filter((tag) => tags.includes(tag) || !before.includes(tag));
  const added = tags.filter((tag) => !before.includes(tag));
  return { "manual-tags": [...new Set([...kept, ...added])] };
}

/** The API document does not promise that a card can be taken out of the trash. */
async function assertRestored(client: Client, cardId: string): Promise<void> {
  const card = await client.cards.get(cardId);
  if (card["trashed?"] != null) throw new Error("the service kept it in the trash");
}

/** Asks for each document once; a failure is not remembered. */
function remembered<T>(fetch: (id: string) => Promise<T>): (id: string) => Promise<T> {
  const asked = new Map<string, Promise<T>>();
  return (id) => {
    const found = asked.get(id) ?? fetch(id);
    asked.set(id, found);
    found.catch(() => asked.delete(id));
    return found;
  };
}

/** A deck with the retention of the nearest deck above it that has one, where the service has settings of decks. */
async function withRetention(
  deck: Deck | undefined,
  decks: (id: string) => Promise<Deck>,
  client: Client,
): Promise<Deck | undefined> {
  if (deck === undefined || !(await client.service.has("deck-settings"))) return deck;
  const seen = new Set<string>();
  let at: Deck | undefined = deck;
  while (at !== undefined && at.retention == null && !seen.has(at.id)) {
    seen.add(at.id);
    at = await ifNamed(at["parent-id"], decks);
  }
  return { ...deck, retention: at?.retention };
}
