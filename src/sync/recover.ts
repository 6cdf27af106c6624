import { createBody } from "../cards/document.ts";
import { applyOne, type Operation } from "../client/apply/index.ts";
import type { Client } from "../client/index.ts";
import { neverUnchanged } from "../folder/stat.ts";
import type { FolderWriter } from "../folder/writer.ts";
import type { Card } from "../schema/index.ts";
import { pairAlike } from "./resemble.ts";
import type { ServiceState } from "./scan-service.ts";
import { type State, withoutId } from "./state.ts";
import type { Agreed, Intent } from "./types.ts";

/** Completes or undoes changes of files that an earlier run left open. */
export function recoverFiles(state: State, folder: FolderWriter<Agreed>, now: number): void {
  for (const [number, intent] of state.open) {
    if (intent.op !== "replace" && intent.op !== "trash" && intent.op !== "create") continue;
    const placed = folder.wasPlaced(intent);
    if (intent.op !== "create") folder.recover(intent);
    const written = intent.op === "trash" || !placed ? undefined : intent.written;
    if (written !== undefined) {
      const { path } = intent;
      const { hash, about } = written;
      const { id, doc } = about;
      state.keepCard({ id, path, hash, ...neverUnchanged, at: now }, doc);
    }
    state.end(number);
  }
  folder.private.removeTemporary();
}

/**
 * Finds what an earlier run may have created on the service without hearing of it: among what was neither there before
 * nor is known, the card with an equal document, else the one that shares most lines, since it may have been edited
 * since. It is adopted with the document that was sent.
 */
export function recoverCreated(state: State, service: ServiceState, now: number): void {
  const open = [...state.open];
  const creates = open.flatMap(([number, intent]) =>
    intent.op === "create-card" ? [[{ ...intent, number }, intent.doc] as const] : [],
  );
  const free = [...service.cards.others.values()].filter(({ id }) => !state.has(id) && !state.wasSeen(id));
  const cards = free.map((card) => [card, card.doc.read()] as const);
  for (const [{ number, path, hash, doc }, card] of pairAlike(creates, cards)) {
    // The service gave it a position.
    adopt(state, number, { path, hash, doc: { ...doc, pos: doc.pos ?? card.doc.read().pos } }, card.id, now);
  }
  for (const [number, intent] of open) {
    if (intent.op === "create-deck") {
      const { path, name, parent } = intent;
      const found = [...service.decks.values()].find(
        (deck) =>
          !state.decks.has(deck.id) &&
          !state.wasSeen(deck.id) &&
          deck.doc.name === name &&
          deck.doc.parent === parent,
      );
      if (found !== undefined) state.keepDeck({ id: found.id, path, doc: found.doc });
    }
    // What was not found was not created.
    if (intent.op.startsWith("create") && state.open.has(number)) state.end(number);
  }
}

type Sent = Pick<Extract<Intent, { readonly op: "create-card" }>, "path" | "hash" | "doc">;

function adopt(state: State, number: number, { path, hash, doc }: Sent, id: string, now: number): void {
  state.keepCard({ id, path, hash, ...withoutId, at: now, created: true }, doc);
  state.end(number);
}

/**
 * Sends creations again whose answers were lost, to a service that takes chosen ids: what it has carried out, it does not
 * carry out again.
 */
export async function sendAgain(
  state: State,
  client: Client,
  signal: AbortSignal,
  now: number,
): Promise<void> {
  for (const [number, intent] of [...state.open]) {
    if (intent.op !== "create-card" && intent.op !== "create-deck") continue;
    const outcome = await applyOne({ operation: operationOf(intent), tag: undefined }, { client, signal });
    // What was refused was not created, and is not found afterwards.
    if (outcome.state === "refused") continue;
    if (intent.op === "create-card") {
      const pos = (outcome.document as Card | undefined)?.pos ?? null;
      adopt(state, number, { ...intent, doc: { ...intent.doc, pos: intent.doc.pos ?? pos } }, intent.id, now);
    } else {
      const { id, path, name, parent } = intent;
      state.keepDeck({ id, path, doc: { name, parent } });
      state.end(number);
    }
  }
}

function operationOf(intent: Extract<Intent, { readonly op: "create-card" | "create-deck" }>): Operation {
  const { id } = intent;
  if (intent.op === "create-card") return { kind: "cards.create", id, body: createBody(intent.doc) };
  const { name, parent } = intent;
  return { kind: "decks.create", id, body: { name, ...(parent === null ? {} : { "parent-id": parent }) } };
}
