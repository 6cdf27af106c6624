import { cardPage, due, page, serviceInfo } from "./answers.ts";
import { attachment, attachmentList, cardAttachment } from "./attachment.ts";
import { batch, batchResults } from "./batch.ts";
import { card, cardCreation, cardUpdate, reviewCreate, reviewsAdd } from "./card.ts";
import { deck, deckCreation, deckItem, deckUpdate } from "./deck.ts";
import { integer, type ObjectKind, object, type Received, type Sent, string, timestamp } from "./kinds.ts";
import { operationsOf } from "./operation.ts";
import { scheduleDocument, schedulePut } from "./schedule.ts";
import { template, templateCreation, templateUpdate } from "./template.ts";
import { dueChanged, duePut, today, todayCard, todayCardsQuery, todayPut, todayQuery } from "./today.ts";

const bookmark = string({ about: "The cursor that the page before gave." });
const dueQuery = object({
  date: timestamp({ about: "The day asked about; today if absent." }),
  limit: integer({ min: 1, max: 100, about: "Cards a page, 1 to 100 (extension due-pages)." }),
  bookmark: string({ about: "The cursor that the page before gave (extension due-pages)." }),
});

export const operations = operationsOf({
  "cards.list": {
    request: "GET /cards",
    about: "Lists cards, a page at a time.",
    query: object({
      // Any text is allowed: one that is not an id means an unknown deck, whose page is empty.
      "deck-id": string({ about: "Only cards of that deck." }),
      limit: integer({ min: 1, max: 100, about: "Cards a page, 1 to 100; 10 if absent." }),
      bookmark,
    }),
    answer: cardPage,
  },
  "cards.create": {
    request: "POST /cards",
    about: "Creates a card.",
    body: cardCreation,
    answer: card,
    repeatable: false,
  },
  "cards.get": { request: "GET /cards/:card-id", about: "Retrieves a card.", answer: card },
  "cards.update": {
    request: "POST /cards/:card-id",
    about: "Changes a card: only the fields given.",
    body: cardUpdate,
    answer: card,
    answerOptional: "any",
  },
  "cards.delete": {
    request: "DELETE /cards/:card-id",
    about: "Removes a card and its attachments for good.",
    answer: "empty",
  },
  "attachments.add": {
    request: "POST /cards/:card-id/attachments/:file-name",
    about: "Stores an attachment on a card.",
    body: "multipart",
    answer: attachment,
    repeatable: false,
  },
  "attachments.remove": {
    request: "DELETE /cards/:card-id/attachments/:file-name",
    about: "Removes an attachment from a card.",
    answer: "empty",
  },
  "decks.list": {
    request: "GET /decks",
    about: "Lists decks, a page at a time.",
    query: object({ bookmark }),
    answer: page(deckItem),
  },
  "decks.create": {
    request: "POST /decks",
    about: "Creates a deck.",
    body: deckCreation,
    answer: deck,
    repeatable: false,
  },
  "decks.get": {
    request: "GET /decks/:deck-id",
    about: "Retrieves a deck, with its card count.",
    answer: deck,
  },
  "decks.update": {
    request: "POST /decks/:deck-id",
    about: "Changes a deck: only the fields given.",
    body: deckUpdate,
    answer: deck,
    answerOptional: "any",
  },
  "decks.delete": {
    request: "DELETE /decks/:deck-id",
    about: "Removes a deck for good; its cards and child decks stay.",
    answer: "empty",
  },
  "templates.list": {
    request: "GET /templates",
    about: "Lists templates, a page at a time.",
    query: object({ bookmark }),
    answer: page(template),
  },
  "templates.create": {
    request: "POST /templates",
    about: "Creates a template.",
    body: templateCreation,
    answer: template,
    repeatable: false,
  },
  "templates.get": {
    request: "GET /templates/:template-id",
    about: "Retrieves a template.",
    answer: template,
  },
  "templates.update": {
    request: "POST /templates/:template-id",
    about: "Changes a template: only the fields that are given.",
    body: templateUpdate,
    answer: template,
    repeatable: false,
    extension: "template-writes",
  },
  "templates.delete": {
    request: "DELETE /templates/:template-id",
    about: "Deletes a template; one that cards use is refused.",
    answer: "empty",
    extension: "template-writes",
  },
  "due.list": { request: "GET /due", about: "Lists the cards due on a date.", query: dueQuery, answer: due },
  "due.deck": {
    request: "GET /due/:deck-id",
    about: "Lists the cards of one deck due on a date.",
    query: dueQuery,
    answer: due,
  },
  "reviews.create": {
    request: "POST /cards/:card-id/reviews",
    about: "Records a review; the same date twice is one review.",
    body: reviewCreate,
    answer: card,
    answerOptional: "any",
    extension: "reviews",
  },
  "reviews.add": {
    request: "POST /cards/:card-id/history",
    about: "Adds past reviews to a card; one of a date that it has is ignored.",
    body: reviewsAdd,
    answer: card,
    answerOptional: "any",
    extension: "reviews",
  },
  "reviews.delete": {
    request: "DELETE /cards/:card-id/reviews/:date",
    about: "Takes a review back.",
    answer: "empty",
    extension: "reviews",
  },
  "attachments.list": {
    request: "GET /cards/:card-id/attachments",
    about: "Lists the attachments of a card.",
    answer: attachmentList,
    extension: "attachment-list",
  },
  "attachments.all": {
    request: "GET /attachments",
    about: "Lists the attachments of all cards, a page at a time.",
    query: object({ bookmark }),
    answer: page(cardAttachment),
    extension: "attachment-list",
  },
  "attachments.get": {
    request: "GET /cards/:card-id/attachments/:file-name",
    about: "Downloads an attachment of a card.",
    answer: "bytes",
    extension: "attachment-download",
  },
  "schedule.get": {
    request: "GET /schedule",
    about: "Retrieves the parameters by which due dates are computed.",
    answer: scheduleDocument,
    extension: "schedule",
  },
  "schedule.put": {
    request: "PUT /schedule",
    about: "Sets the parameters, and computes due dates again if asked to.",
    body: schedulePut,
    answer: scheduleDocument,
    extension: "schedule",
  },
  "schedule.delete": {
    request: "DELETE /schedule",
    about: "Restores the default parameters. Due dates stay.",
    answer: "empty",
    extension: "schedule",
  },
  "batch.apply": {
    request: "POST /batch",
    about: "Makes changes, in order, all in one transaction; those that are refused are skipped.",
    body: batch,
    answer: batchResults,
    extension: "batch",
  },
  "service.describe": {
    request: "GET /",
    about: "Says what the service is and which extensions it has.",
    answer: serviceInfo,
  },
  "today.get": {
    request: "GET /today",
    about: "Counts the cards that are asked today, by deck.",
    query: todayQuery,
    answer: today,
    extension: "today",
  },
  "today.cards": {
    request: "GET /today/cards",
    about: "Lists the cards that are asked today, in their order, a page at a time.",
    query: todayCardsQuery,
    answer: page(todayCard),
    extension: "today",
  },
  "today.put": {
    request: "PUT /cards/:card-id/today",
    about: "Puts a card off until tomorrow, or asks it again today.",
    body: todayPut,
    answer: "empty",
    extension: "today",
  },
  "due.put": {
    request: "PUT /cards/:card-id/due",
    about: "Sets when a reviewed card is due, or makes it new again.",
    body: duePut,
    answer: dueChanged,
    extension: "due-writes",
  },
});
export type OperationId = keyof typeof operations;

type Declared<Id extends OperationId> = (typeof operations)[Id];

/** What an answer holds; it may be undefined where it is not documented. */
export type AnswerOf<Id extends OperationId> =
  | (Declared<Id> extends { readonly answer: infer A extends ObjectKind } ? Received<A> : undefined)
  | (Declared<Id> extends { readonly answerOptional: "any" } ? undefined : never);

export type BodyOf<Id extends OperationId> =
  Declared<Id> extends { readonly body: infer B extends ObjectKind } ? Sent<B> : never;
