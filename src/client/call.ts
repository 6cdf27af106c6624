import { DeckhandError } from "../errors.ts";
import type { CallInput, Http } from "../http/index.ts";
import {
  type AnswerOf,
  doingOf,
  isMap,
  type Operation,
  type OperationId,
  operations,
} from "../schema/index.ts";

export type Call = ReturnType<typeof callOver>;

/**
 * Carries out an operation: the answer is as the schema has it, errors are in the words of the operation. A creation with
 * an id in its body (extension ids) may be sent again: the service answers with what is there, or with nothing where that
 * was deleted since; then the document has nothing but its id.
 */
export const callOver =
  (http: Http) =>
  async <Id extends OperationId>(id: Id, input: CallInput = {}): Promise<AnswerOf<Id>> => {
    const chosen = isMap(input.body) ? input.body["id"] : undefined;
    const again = { repeatable: true, answerOptional: "empty" } as const;
    const operation: Operation = { ...operations[id], ...(chosen === undefined ? {} : again) };
    const answer = await worded(http.call(operation, input), operation, input);
    return (answer ?? (chosen === undefined ? undefined : { id: chosen })) as AnswerOf<Id>;
  };

/** The promise, with errors reworded for the operation. */
export const worded = <T>(answer: Promise<T>, operation: Operation, input: CallInput): Promise<T> =>
  answer.catch((error: unknown) => Promise.reject(inWords(error, operation, input)));

const nouns: Readonly<Record<string, string>> = {
  "card-id": "card",
  "deck-id": "deck",
  "template-id": "template",
  "file-name": "attachment",
  date: "review",
};

/**
 * An error in the words of the operation: `there is no card cat`, `could not create the card: content: field cannot be
 * nil`. What was sent is in its `request`.
 */
export function inWords(
  error: unknown,
  operation: Operation,
  { params = {}, query = {} }: CallInput,
): unknown {
  if (!(error instanceof DeckhandError) || error.request === undefined) return error;
  // What an upload stores is not what is missing.
  const named = Object.keys(params).filter((name) => name !== "file-name" || operation.body !== "multipart");
  const missing = named.map((name) => `${nouns[name]} ${quoted(params[name])}`).reverse();
  if (error.status === 404 && missing.length > 0)
    return error.with({
      message: `there is no ${missing.join(" of ")}`,
      hint: error.hint ?? hintFor(params),
    });
  // Every account has these lists, so a 404 means that there is no service.
  const isList = operation.documented && operation.method === "GET" && query["deck-id"] === undefined;
  return error.with({
    message: `could not ${doingOf(operation).replace(/\ban?\b/g, "the")}: ${error.message}`,
    ...(error.status === 404 && isList ? { hint: "Is the base URL that of the service?" } : {}),
  });
}

const quoted = (id = "") => (/^[\w-]+$/.test(id) ? id : JSON.stringify(id));

/** Newcomers name a card by its front, or by the beginning of its id. Ids that programs know are longer. */
function hintFor({ "card-id": id }: Readonly<Record<string, string>>) {
  if (id === undefined || !/[^\w-]|^\p{Lu}\p{Ll}+$|^.{1,7}$/u.test(id)) return undefined;
  return "Cards are named by their ids; `deckhand cards search <words>` shows them, `deckhand trash list` those in the trash.";
}
