import { DeckhandError } from "../errors.ts";
import type { CallInput } from "../http/index.ts";
import type { Operation } from "../schema/index.ts";

interface Words {
  /** Follows "could not". */
  readonly doing: string;
  /** What a 404 says does not exist, with the parameters of the path. */
  readonly missing?: string;
}

const card = "card :card-id";
const file = "attachment :file-name of card :card-id";

const words: Readonly<Record<string, Words>> = {
  "cards.list": { doing: "list the cards" },
  "cards.create": { doing: "create the card" },
  "cards.get": { doing: "read the card", missing: card },
  "cards.update": { doing: "change the card", missing: card },
  "cards.delete": { doing: "remove the card", missing: card },
  "attachments.add": { doing: "store the attachment", missing: card },
  "attachments.remove": { doing: "remove the attachment", missing: file },
  "attachments.list": { doing: "list the attachments", missing: card },
  "attachments.all": { doing: "list the attachments" },
  "attachments.get": { doing: "fetch the attachment", missing: file },
  "decks.list": { doing: "list the decks" },
  "decks.create": { doing: "create the deck" },
  "decks.get": { doing: "read the deck", missing: "deck :deck-id" },
  "decks.update": { doing: "change the deck", missing: "deck :deck-id" },
  "decks.delete": { doing: "remove the deck", missing: "deck :deck-id" },
  "templates.list": { doing: "list the templates" },
  "templates.create": { doing: "create the template" },
  "templates.get": { doing: "read the template", missing: "template :template-id" },
  "due.list": { doing: "list the due cards" },
  "due.deck": { doing: "list the due cards", missing: "deck :deck-id" },
  "reviews.create": { doing: "record the review", missing: card },
  "reviews.add": { doing: "record the reviews", missing: card },
  "reviews.delete": { doing: "remove the review", missing: "review :date of card :card-id" },
};

const lists = new Set(["cards.list", "decks.list", "templates.list", "due.list"]);

/**
 * An error in the words of the operation: `there is no card cat`, `could not create the card: content: field cannot be
 * nil`. What was sent is in its `request`.
 */
export function inWords(error: unknown, { id }: Operation, { params = {}, query = {} }: CallInput): unknown {
  const known = words[id];
  if (!(error instanceof DeckhandError) || error.request === undefined || known === undefined) return error;
  if (error.status === 404 && known.missing !== undefined)
    return error.with({
      message: `there is no ${known.missing.replace(/:([a-z-]+)/g, (_, name: string) => named(params[name]))}`,
      hint: error.hint ?? hintFor(params),
    });
  // Every account has these lists, so a 404 means that there is no service.
  const isNowhere = error.status === 404 && lists.has(id) && query["deck-id"] === undefined;
  return error.with({
    message: `could not ${known.doing}: ${error.message}`,
    ...(isNowhere ? { hint: "Is the base URL that of the service?" } : {}),
  });
}

const named = (id = "") => (/^[\w-]+$/.test(id) ? id : JSON.stringify(id));

/** Newcomers name a card by its front, or by the beginning of its id. Ids that programs know are longer. */
function hintFor({ "card-id": id }: Readonly<Record<string, string>>) {
  if (id === undefined || !/[^\w-]|^\p{Lu}\p{Ll}+$|^.{1,7}$/u.test(id)) return undefined;
  return "Cards are named by their ids; `deckhand cards search <words>` shows them, `deckhand trash list` those in the trash.";
}
