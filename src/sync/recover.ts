import { neverUnchanged } from "../folder/stat.ts";
import type { SyncedFolder } from "./disk.ts";
import { pairAlike } from "./resemble.ts";
import type { ServiceState } from "./scan-service.ts";
import type { State } from "./state.ts";

/** Completes or undoes changes of files that an earlier run left open. */
export function recoverFiles(state: State, folder: SyncedFolder, now: number): void {
  for (const [number, intent] of state.open) {
    if (intent.op !== "replace" && intent.op !== "trash" && intent.op !== "create") continue;
    if (intent.op !== "create") folder.recover(intent);
    // The temporary file is removed as soon as the new one is at its path. What is there is that one, or an edit of it;
    // where nothing is, somebody has moved or removed it since.
    const written = intent.op === "trash" || folder.exists(intent.temporary) ? undefined : intent.written;
    if (written !== undefined) {
      const { path } = intent;
      const { id, hash, doc } = written;
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
    const pos = doc.pos ?? card.doc.read().pos;
    const { id } = card;
    state.keepCard({ id, path, hash, ...neverUnchanged, at: now, created: true }, { ...doc, pos });
    state.end(number);
  }
  for (const [number, intent] of open) {
    if (intent.op === "create-deck") {
      const { path, name, parent } = intent;
      const found = [...service.decks.values()].find(
        (deck) =>
          !state.decks.has(deck.id) &&
          !state.wasSeen(deck.id) &&
          deck.name === name &&
          deck.parent === parent,
      );
      if (found !== undefined) state.keepDeck({ id: found.id, path, name, parent });
    }
    // What was not found was not created.
    if (intent.op.startsWith("create") && state.open.has(number)) state.end(number);
  }
}
