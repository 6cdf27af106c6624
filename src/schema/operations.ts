import { cardPage, due, type Extension, page, serviceInfo } from "./answers.ts";
import { attachment, attachmentList, cardAttachment } from "./attachment.ts";
import { batch, batchResults } from "./batch.ts";
import { card, cardCreation, cardUpdate, reviewCreate, reviewsAdd } from "./card.ts";
import { deck, deckCreation, deckItem, deckUpdate } from "./deck.ts";
import { integer, type ObjectKind, object, string, timestamp } from "./kinds.ts";
import { scheduleDocument, schedulePut } from "./schedule.ts";
import { template, templateCreation } from "./template.ts";

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/** One method and path. The client calls by it, the local service routes by it. */
export interface Operation {
  /** `<resource>.<verb>`, also the operationId of the OpenAPI document. */
  readonly id: string;
  readonly method: Method;
  /** Relative to the base URL, parameters as `:name`. */
  readonly path: string;
  readonly about: string;
  readonly query?: ObjectKind;
  /** A map in the codec's encoding, or one multipart part named `file`. */
  readonly body?: ObjectKind | "multipart";
  /** A document, bytes (a download), or nothing: an "empty" answer may still have a body, which is ignored. */
  readonly answer: ObjectKind | "bytes" | "empty";
  /** True where the body of the answer is not documented and may be empty. */
  readonly answerOptional?: true;
  /** Whether it may be sent again when it is unknown whether it was carried out. */
  readonly repeatable: boolean;
  /** Only where the service names this extension. */
  readonly extension?: Extension;
  readonly documented: boolean;
}

const operation = <const O extends Omit<Operation, "documented">>(o: O): O & { documented: boolean } => ({
  ...o,
  documented: !("extension" in o) && o.id !== "service.describe",
});

const bookmark = string({ about: "The cursor that the page before gave." });
const dueQuery = object({
  date: timestamp({ about: "The day asked about; today if absent." }),
  limit: integer({ min: 1, max: 100, about: "Cards a page, 1 to 100 (extension due-pages)." }),
  bookmark: string({ about: "The cursor that the page before gave (extension due-pages)." }),
});

export const operations = {
  "cards.list": operation({
    id: "cards.list",
    method: "GET",
    path: "/cards",
    about: "Lists cards, a page at a time.",
    query: object({
      // Any text is allowed: one that is not an id means an unknown deck, whose page is empty.
      "deck-id": string({ about: "Only cards of that deck." }),
      limit: integer({ min: 1, max: 100, about: "Cards a page, 1 to 100; 10 if absent." }),
      bookmark,
    }),
    answer: cardPage,
    repeatable: true,
  }),
  "cards.create": operation({
    id: "cards.create",
    method: "POST",
    path: "/cards",
    about: "Creates a card.",
    body: cardCreation,
    answer: card,
    repeatable: false,
  }),
  "cards.get": operation({
    id: "cards.get",
    method: "GET",
    path: "/cards/:card-id",
    about: "Retrieves a card.",
    answer: card,
    repeatable: true,
  }),
  "cards.update": operation({
    id: "cards.update",
    method: "POST",
    path: "/cards/:card-id",
    about: "Changes a card: only the fields given.",
    body: cardUpdate,
    answer: card,
    answerOptional: true,
    repeatable: true,
  }),
  "cards.delete": operation({
    id: "cards.delete",
    method: "DELETE",
    path: "/cards/:card-id",
    about: "Removes a card and its attachments for good.",
    answer: "empty",
    repeatable: true,
  }),
  "attachments.add": operation({
    id: "attachments.add",
    method: "POST",
    path: "/cards/:card-id/attachments/:file-name",
    about: "Stores a file on a card.",
    body: "multipart",
    answer: attachment,
    repeatable: false,
  }),
  "attachments.remove": operation({
    id: "attachments.remove",
    method: "DELETE",
    path: "/cards/:card-id/attachments/:file-name",
    about: "Removes a file from a card.",
    answer: "empty",
    repeatable: true,
  }),
  "decks.list": operation({
    id: "decks.list",
    method: "GET",
    path: "/decks",
    about: "Lists decks, a page at a time.",
    query: object({ bookmark }),
    answer: page(deckItem),
    repeatable: true,
  }),
  "decks.create": operation({
    id: "decks.create",
    method: "POST",
    path: "/decks",
    about: "Creates a deck.",
    body: deckCreation,
    answer: deck,
    repeatable: false,
  }),
  "decks.get": operation({
    id: "decks.get",
    method: "GET",
    path: "/decks/:deck-id",
    about: "Retrieves a deck with its card count.",
    answer: deck,
    repeatable: true,
  }),
  "decks.update": operation({
    id: "decks.update",
    method: "POST",
    path: "/decks/:deck-id",
    about: "Changes a deck: only the fields given.",
    body: deckUpdate,
    answer: deck,
    answerOptional: true,
    repeatable: true,
  }),
  "decks.delete": operation({
    id: "decks.delete",
    method: "DELETE",
    path: "/decks/:deck-id",
    about: "Removes a deck for good; its cards and child decks stay.",
    answer: "empty",
    repeatable: true,
  }),
  "templates.list": operation({
    id: "templates.list",
    method: "GET",
    path: "/templates",
    about: "Lists templates, a page at a time.",
    query: object({ bookmark }),
    answer: page(template),
    repeatable: true,
  }),
  "templates.create": operation({
    id: "templates.create",
    method: "POST",
    path: "/templates",
    about: "Creates a template.",
    body: templateCreation,
    answer: template,
    repeatable: false,
  }),
  "templates.get": operation({
    id: "templates.get",
    method: "GET",
    path: "/templates/:template-id",
    about: "Retrieves a template.",
    answer: template,
    repeatable: true,
  }),
  "due.list": operation({
    id: "due.list",
    method: "GET",
    path: "/due",
    about: "Lists the cards due on a date.",
    query: dueQuery,
    answer: due,
    repeatable: true,
  }),
  "due.deck": operation({
    id: "due.deck",
    method: "GET",
    path: "/due/:deck-id",
    about: "Lists the cards of one deck due on a date.",
    query: dueQuery,
    answer: due,
    repeatable: true,
  }),
  "reviews.create": operation({
    id: "reviews.create",
    method: "POST",
    path: "/cards/:card-id/reviews",
    about: "Records a review; the same date twice is one review.",
    body: reviewCreate,
    answer: card,
    answerOptional: true,
    repeatable: true,
    extension: "reviews",
  }),
  "reviews.add": operation({
    id: "reviews.add",
    method: "POST",
    path: "/cards/:card-id/history",
    about: "Adds past reviews to a card; one of a date that it has is ignored.",
    body: reviewsAdd,
    answer: card,
    answerOptional: true,
    repeatable: true,
    extension: "reviews",
  }),
  "reviews.delete": operation({
    id: "reviews.delete",
    method: "DELETE",
    path: "/cards/:card-id/reviews/:date",
    about: "Takes a review back.",
    answer: "empty",
    repeatable: true,
    extension: "reviews",
  }),
  "attachments.list": operation({
    id: "attachments.list",
    method: "GET",
    path: "/cards/:card-id/attachments",
    about: "Lists the files of a card.",
    answer: attachmentList,
    repeatable: true,
    extension: "attachment-list",
  }),
  "attachments.all": operation({
    id: "attachments.all",
    method: "GET",
    path: "/attachments",
    about: "Lists the files of all cards, a page at a time.",
    query: object({ bookmark }),
    answer: page(cardAttachment),
    repeatable: true,
    extension: "attachment-list",
  }),
  "attachments.get": operation({
    id: "attachments.get",
    method: "GET",
    path: "/cards/:card-id/attachments/:file-name",
    about: "Returns a file of a card.",
    answer: "bytes",
    repeatable: true,
    extension: "attachment-download",
  }),
  "schedule.get": operation({
    id: "schedule.get",
    method: "GET",
    path: "/schedule",
    about: "Retrieves the parameters by which due dates are computed.",
    answer: scheduleDocument,
    repeatable: true,
    extension: "schedule",
  }),
  "schedule.put": operation({
    id: "schedule.put",
    method: "PUT",
    path: "/schedule",
    about: "Sets the parameters, and computes due dates again if asked to.",
    body: schedulePut,
    answer: scheduleDocument,
    repeatable: true,
    extension: "schedule",
  }),
  "schedule.delete": operation({
    id: "schedule.delete",
    method: "DELETE",
    path: "/schedule",
    about: "Goes back to the default parameters. Due dates stay.",
    answer: "empty",
    repeatable: true,
    extension: "schedule",
  }),
  "batch.apply": operation({
    id: "batch.apply",
    method: "POST",
    path: "/batch",
    about: "Carries out operations in order, all in one transaction; those that are refused are skipped.",
    body: batch,
    answer: batchResults,
    repeatable: true,
    extension: "batch",
  }),
  "service.describe": operation({
    id: "service.describe",
    method: "GET",
    path: "/",
    about: "Says what the service is and which extensions it has.",
    answer: serviceInfo,
    repeatable: true,
  }),
} as const;

export type OperationId = keyof typeof operations;
