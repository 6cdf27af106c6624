import type { BaseCard, CardChange, Change, FileCard, Op, ServiceCard, Side } from "./types.ts";

/** Names what a change does, for counting: `create card service`. */
export const kindOf = ({ op, thing, side }: Pick<Change, "op" | "thing" | "side">): string =>
  `${op} ${thing} ${side}`;

export const isRemoval = ({ op }: Pick<Change, "op">): boolean => op === "remove";

/** The three states of a card; without an id and a base one of a new file. */
export interface CardState {
  readonly id?: string | undefined;
  readonly base?: BaseCard | undefined;
  readonly file?: FileCard | undefined;
  readonly card?: ServiceCard | undefined;
}

/** A change of a card. */
export function change(state: CardState, op: Op, side: Side, more: Partial<CardChange> = {}): CardChange {
  const { id, base, file, card } = state;
  const path = file?.path ?? base?.path ?? card?.name ?? id ?? "";
  return { thing: "card", op, side, path, ...state, ...more };
}

/** A card that is left, because of a problem unless `more` says otherwise. */
export const leave = (state: CardState, note: string, more: Partial<CardChange> = { failed: true }) =>
  change(state, "leave", "none", { note, ...more });
