import { BadResponseError } from "../errors.ts";
import type { CallInput, Http } from "../http/index.ts";
import { fitsPath, plan } from "../http/index.ts";
import { isMap, type Operation } from "../schema/index.ts";
import { inWords } from "./words.ts";

/** A request as a value. A dry run prints it; `send` sends it. */
export interface Call<T> {
  readonly operation: Operation;
  readonly input: CallInput;
  send(): Promise<T>;
}

/** A call whose answer `read` checks and converts. */
export function callOf<T>(
  http: Http,
  operation: Operation,
  input: CallInput,
  read: (answer: unknown, call: Call<T>) => T,
): Call<T> {
  const call: Call<T> = {
    operation,
    input,
    send: () =>
      worded(
        http.call(operation, input).then((answer) => read(answer, call)),
        call,
      ),
  };
  return call;
}

/**
 * A call that creates a document. With an id in the body (extension ids) it may be sent again: the service answers with
 * what is there, or with nothing where that was deleted since.
 *
 * @returns a document with nothing but its id where it was deleted since
 */
export function creationOf<T extends { readonly id: string }>(
  http: Http,
  operation: Operation,
  body: { readonly id?: string | undefined },
): Call<T> {
  const { id } = body;
  if (id === undefined) return callOf(http, operation, { body }, identified<T>);
  const repeatable: Operation = { ...operation, repeatable: true, answerOptional: true };
  return callOf(http, repeatable, { body }, (answer, call) =>
    answer === undefined ? ({ id } as T) : identified<T>(answer, call),
  );
}

/** The promise, with errors reworded for the operation. */
export async function worded<T>(
  answer: Promise<T>,
  call: Pick<Call<unknown>, "operation" | "input">,
): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw inWords(error, call.operation, call.input);
  }
}

/** The answer as a document. Callers rely on its id. */
export function identified<T extends { readonly id: string }>(answer: unknown, call: Call<unknown>): T {
  if (!isMap(answer) || typeof answer["id"] !== "string" || answer["id"] === "") throw incomplete(call, "id");
  refuseUnusable(answer["id"], call);
  return answer as unknown as T;
}

/** As `identified`, where no body is documented: undefined for anything that is not a document. */
export function identifiedIfAny<T extends { readonly id: string }>(answer: unknown): T | undefined {
  return isMap(answer) && typeof answer["id"] === "string" && fitsPath(answer["id"])
    ? (answer as unknown as T)
    : undefined;
}

/** The documents of an answer that lists them under `key`; each has a string under `id`. */
export function listed<T>(answer: unknown, key: string, id: string, call: Call<unknown>): readonly T[] {
  const docs = isMap(answer) ? answer[key] : undefined;
  if (!Array.isArray(docs)) throw incomplete(call, key);
  for (const doc of docs) {
    if (!isMap(doc) || typeof doc[id] !== "string" || doc[id] === "") throw incomplete(call, id);
    if (id === "id") refuseUnusable(doc[id], call);
  }
  return docs as readonly T[];
}

/** An id that no later request could name is no mistake of the caller. */
function refuseUnusable(id: string, call: Call<unknown>): void {
  if (!fitsPath(id)) throw notAsDocumented(call, `has an id that cannot be used: ${JSON.stringify(id)}`);
}

export const incomplete = (call: Call<unknown>, key: string): BadResponseError =>
  notAsDocumented(call, `lacks ${JSON.stringify(key)}`);

function notAsDocumented(call: Call<unknown>, what: string): BadResponseError {
  const { method, path } = plan(call.operation, call.input);
  const uncertain = !call.operation.repeatable;
  return new BadResponseError(`the answer ${what}${uncertain ? "; it may have been carried out" : ""}`, {
    request: { method, path },
    hint: "Is the base URL that of the service?",
    uncertain,
  });
}
