import { type CardDocument, createBody } from "../cards/document.ts";
import { apply, type Task } from "../client/apply/index.ts";
import { ifThere } from "../client/if-there.ts";
import { type Card, newId } from "../schema/index.ts";
import { type Applied, left, refused, type Sides, unlessUnusable } from "./outcome.ts";
import type { CardChange, FileCard, Intent, Outcome } from "./types.ts";

export const noFolder = left("its folder is not a deck of the collection");

/** A card that is created of a file. */
interface Wanted {
  readonly change: CardChange;
  readonly file: FileCard;
  readonly to: CardDocument;
}

/**
 * Creates cards of files. Their ids are chosen and recorded before they are sent, so that whatever ends the run, none is
 * created twice.
 *
 * @param resolved the document with the id of its deck; undefined for a folder that is not one
 * @param keep records a card that was created
 */
export async function* createCards(
  sides: Sides,
  changes: readonly CardChange[],
  resolved: (doc: CardDocument) => CardDocument | undefined,
  keep: (id: string, card: Wanted) => void,
): AsyncGenerator<Applied | (Wanted & { readonly id: string })> {
  const { client, state, step, signal } = sides;
  const early: Applied[] = [];
  const numbers = new Map<Task<Wanted>, number>();
  const leave = (change: CardChange, outcome: Outcome) => early.push({ change, outcome });
  const beforeSend = (sent: readonly Task<Wanted>[]) => {
    const begun = state.begin(sent.map(intentOf));
    for (const [index, task] of sent.entries()) numbers.set(task, begun[index] ?? 0);
  };
  const tasks = tasksOf(sides, changes, resolved, leave);
  for await (const { task, outcome } of apply(tasks, { client, signal, beforeSend })) {
    yield* early.splice(0);
    const { change, file, to } = task.tag;
    const open = numbers.get(task) ?? 0;
    numbers.delete(task);
    if (outcome.state === "refused") {
      state.end(open);
      yield { change, outcome: refused(outcome.error) };
      continue;
    }
    await step(`record the card of ${file.path}`);
    const pos = to.pos ?? (outcome.document as Card | undefined)?.pos ?? null;
    const created = { ...task.tag, to: { ...to, pos } };
    state.soon(() => {
      if (change.id !== undefined) state.forgetCard(change.id);
      keep(outcome.id, created);
      state.end(open);
    });
    yield { ...created, id: outcome.id };
  }
  yield* early;
}

const intentOf = ({ operation: { id }, tag: { file, to } }: Task<Wanted>): Intent => ({
  ...{ op: "create-card", id, path: file.path, hash: file.hash, doc: to },
});

async function* tasksOf(
  { client, step }: Sides,
  changes: readonly CardChange[],
  resolved: (doc: CardDocument) => CardDocument | undefined,
  leave: (change: CardChange, outcome: Outcome) => void,
): AsyncGenerator<Task<Wanted>> {
  for (const change of changes) {
    const { file, id } = change;
    if (file === undefined || change.to === undefined) continue;
    const to = resolved(change.to);
    // The file names a card that the list lacks: it is not in this sync, not listed yet, or damaged.
    const there = id === undefined ? undefined : await unlessUnusable(ifThere(client.cards.get(id)));
    if (to === undefined) leave(change, noFolder);
    else if (there !== undefined)
      leave(change, "state" in there ? there : left(`the card ${id} is not among those that are synced`));
    else {
      await step(`create the card of ${file.path}`);
      const operation = { kind: "cards.create", id: newId(), body: createBody(to) } as const;
      yield { operation, tag: { change, file, to } };
    }
  }
}
