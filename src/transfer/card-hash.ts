import { hash } from "node:crypto";
import type { Card } from "../schema/index.ts";

/**
 * A hash of what people write of a card: content, deck, template, tags, position, flags, fields and trash. Reviews, due
 * dates, attachments and instants of creation take no part, and what is absent equals its default, so that a card of
 * which nothing was edited keeps its hash whichever answer it is read from.
 */
export function cardHash(card: Card): string {
  const fields = Object.entries(card.fields ?? {})
    .map(([id, field]) => [id, field?.value ?? ""])
    .sort(([a = ""], [b = ""]) => (a < b ? -1 : 1));
  const document = [
    card.content ?? "",
    card["deck-id"] ?? null,
    card["template-id"] ?? null,
    [...(card.tags ?? [])].sort(),
    card.pos ?? null,
    card["archived?"] ?? false,
    card["review-reverse?"] ?? false,
    !!card["trashed?"],
    fields,
  ];
  return hash("sha256", JSON.stringify(document), "base64url").slice(0, 22);
}
