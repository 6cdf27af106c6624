import { Buffer } from "node:buffer";
import type { UsageError } from "../../errors.ts";
import { plan, problemWith, refusalOf } from "../../http/index.ts";
import {
  type BatchedId,
  type BatchOperation,
  type BatchResult,
  batched,
  batchLimits,
  operations,
} from "../../schema/index.ts";
import { inWords } from "../call.ts";
import {
  type Applied,
  type ApplyTarget,
  isCreation,
  type Operation,
  type Outcome,
  type Task,
  type Tasks,
} from "./operations.ts";
import { inPieces, refusedOutcome, Singles } from "./single.ts";

/** In bytes of JSON: transit takes more for the same. */
const mostBytes = batchLimits.bytes * 0.7;

/** A task, and the operations of a batch that it is. */
interface Part<Tag> {
  readonly task: Task<Tag>;
  readonly sent: readonly BatchOperation[];
  readonly bytes: number;
}

/** Carries out operations in batches; what does not fit into one is a request of its own. */
export async function* inBatches<Tag>(
  tasks: Tasks<Tag>,
  target: ApplyTarget<Tag>,
): AsyncGenerator<Applied<Tag>, void> {
  const singles = new Singles(target, true);
  for await (const parts of collected(tasks)) {
    target.signal.throwIfAborted();
    const [first] = parts;
    if (first !== undefined && isOwnRequest(first)) yield await singles.carryOut(first.task);
    else yield* sendBatch(parts, target);
  }
}

const isOwnRequest = ({ task, sent, bytes }: Part<unknown>) =>
  task.known === undefined &&
  (bytes > mostBytes || sent.length === 0 || sent.length > batchLimits.operations);

/** As many tasks as fit into a batch, or one that is a request of its own; those before an error, too. */
async function* collected<Tag>(tasks: Tasks<Tag>): AsyncGenerator<readonly Part<Tag>[], void> {
  let parts: Part<Tag>[] = [];
  let [count, bytes] = [0, 0];
  let failure: { readonly error: unknown } | undefined;
  try {
    for await (const task of tasks) {
      const part = partOf(task);
      const alone = isOwnRequest(part);
      const full = count + part.sent.length > batchLimits.operations || bytes + part.bytes > mostBytes;
      if (parts.length > 0 && (alone || full)) {
        yield parts;
        [parts, count, bytes] = [[], 0, 0];
      }
      if (alone) yield [part];
      else {
        parts.push(part);
        count += part.sent.length;
        bytes += part.bytes;
      }
    }
  } catch (error) {
    failure = { error };
  }
  if (parts.length > 0) yield parts;
  if (failure !== undefined) throw failure.error;
}

function partOf<Tag>(task: Task<Tag>): Part<Tag> {
  const sent = task.known === undefined ? batchOperations(task.operation) : [];
  return { task, sent, bytes: Buffer.byteLength(JSON.stringify(sent)) };
}

/** An operation as a batch has it; none for what cannot be in one. */
function batchOperations(operation: Operation): readonly BatchOperation[] {
  const { id } = operation;
  switch (operation.kind) {
    case "cards.create": {
      const { body, trashed } = operation;
      const trash = trashed === undefined ? [] : [{ id, "cards.update": { "trashed?": trashed } }];
      return [{ "cards.create": { ...body, id } }, ...trash];
    }
    case "decks.create":
    case "templates.create":
      return [{ [operation.kind]: { ...operation.body, id } }];
    case "cards.update":
    case "decks.update": {
      const { ifMatch, body, kind } = operation;
      return [{ id, [kind]: body, ...(ifMatch === undefined ? {} : { "if-match": ifMatch }) }];
    }
    case "reviews.add":
      return inPieces(operation.reviews).map((reviews) => ({ id, "reviews.add": { reviews } }));
    case "attachments.add":
      return [];
  }
}

/** @throws the first error after which nothing else goes better, when the outcomes of all others were given */
async function* sendBatch<Tag>(
  parts: readonly Part<Tag>[],
  { client, beforeSend }: ApplyTarget<Tag>,
): AsyncGenerator<Applied<Tag>, void> {
  const wrong = new Map(parts.map((part) => [part, problemOf(part)]));
  const sendable = parts.filter((part) => part.sent.length > 0 && wrong.get(part) === undefined);
  if (sendable.length > 0)
    beforeSend?.(
      sendable.map(({ task }) => task),
      undefined,
    );
  const all = sendable.flatMap(({ sent }) => sent);
  const results = all.length === 0 ? [] : [...(await client.batch(all))];
  let fatal: unknown;
  for (const part of parts) {
    const { task } = part;
    try {
      const outcome = settled(
        part,
        wrong.get(part),
        results.splice(0, wrong.get(part) ? 0 : part.sent.length),
      );
      yield { task, outcome };
    } catch (error) {
      fatal ??= error;
    }
  }
  if (fatal !== undefined) throw fatal;
}

/** @throws an error after which nothing else goes better */
function settled(
  { task: { operation, known } }: Part<unknown>,
  wrong: UsageError | undefined,
  results: readonly BatchResult[],
): Outcome {
  if (known !== undefined) return known;
  try {
    if (wrong !== undefined) throw wrong;
    return outcomeOf(operation, results);
  } catch (error) {
    return refusedOutcome(error, operation);
  }
}

/** What is wrong with an operation by itself: it is not sent, so that it does not refuse the others. */
function problemOf({ sent }: Part<unknown>): UsageError | undefined {
  for (const operation of sent) {
    for (const name of Object.keys(batched) as BatchedId[]) {
      const body = operation[name];
      const problem = body === undefined ? undefined : problemWith(batched[name], body);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

/** @throws DeckhandError the refusal of the first of them that was refused */
function outcomeOf(operation: Operation, results: readonly BatchResult[]): Outcome {
  // What was deleted since its creation need not go to the trash.
  const deleted = isCreation(operation) && results[0]?.status === 204;
  for (const { status, errors } of deleted ? [] : results)
    if (status == null || status >= 300) throw refusal(operation, status ?? 500, errors);
  const [first, last] = [results[0], results.at(-1)];
  const document = last?.card ?? last?.deck ?? last?.template ?? undefined;
  const before = isCreation(operation) && first?.["before?"] === true;
  return { state: "done", id: operation.id, before, ...(document === undefined ? {} : { document }) };
}

/** The error that the operation alone would have ended with. */
function refusal({ kind, id }: Operation, status: number, errors: unknown): unknown {
  const declared = operations[kind];
  const [, param] = /:([a-z-]+)/.exec(declared.path) ?? [];
  const input = { params: param === undefined ? {} : { [param]: id } };
  return inWords(refusalOf(plan(declared, input), status, { errors }), declared, input);
}
