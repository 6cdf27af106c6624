import { type CardDocument, createBody } from "../cards/document.ts";
import { apply, type Task } from "../client/apply/index.ts";
import type { Client } from "../client/index.ts";
import { neverUnchanged, type Stat } from "../folder/stat.ts";
import { type Card, newId } from "../schema/index.ts";
import { ifThere } from "../transfer/if-there.ts";
import { left, refused } from "./outcome.ts";
import type { State } from "./state.ts";
import type { FileCard, Intent, Item, Outcome } from "./types.ts";

export const noFolder = left("its folder is not a deck of the collection");

export interface Applied {
  readonly item: Item;
  readonly outcome: Outcome;
}

/** A card that was created; `pull` writes its id into its file. */
interface Created {
  readonly item: Item;
  readonly pull: Item;
}

interface CreateOptions {
  readonly client: Client;
  readonly state: State;
  readonly step: (effect: string) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
  /** The document with the id of its deck; undefined for a folder that is not one. */
  resolved(doc: CardDocument): CardDocument | undefined;
  keep(
    id: string,
    path: string,
    file: Stat & { readonly hash: string },
    doc: CardDocument,
    origin: "created",
  ): void;
}

/** A card that is to be created of a file. */
interface Planned {
  readonly item: Item;
  readonly file: FileCard;
  readonly to: CardDocument;
}

const creation = (id: string, { path, hash }: FileCard, doc: CardDocument): Intent => ({
  ...{ op: "create-card", id, path, hash, doc },
});

/**
 * Creates cards of files. Their ids are chosen and recorded before they are sent, so that whatever ends the run, none is
 * created twice.
 */
export class Creations {
  readonly #options: CreateOptions;

  constructor(options: CreateOptions) {
    this.#options = options;
  }

  async *run(items: readonly Item[]): AsyncGenerator<Applied | Created> {
    const { client, state, step, keep, signal = new AbortController().signal } = this.#options;
    const early: Applied[] = [];
    const numbers = new Map<Task<Planned>, number>();
    const tasks = this.#tasksOf(items, (item, outcome) => early.push({ item, outcome }));
    const beforeSend = (sent: readonly Task<Planned>[]) => {
      const begun = state.begin(
        sent.map(({ operation, tag: { file, to } }) => creation(operation.id, file, to)),
      );
      for (const [index, task] of sent.entries()) numbers.set(task, begun[index] ?? 0);
    };
    for await (const { task, outcome } of apply(tasks, { client, signal, beforeSend })) {
      yield* early.splice(0);
      const { item, file, to } = task.tag;
      const open = numbers.get(task) ?? 0;
      numbers.delete(task);
      if (outcome.state === "refused") {
        state.end(open);
        yield { item, outcome: refused(outcome.error) };
        continue;
      }
      await step(`record the card of ${file.path}`);
      const pos = (outcome.document as Card | undefined)?.pos;
      const agreed = { ...to, pos: to.pos ?? pos ?? null };
      state.transaction(() => {
        if (item.id !== undefined) state.forgetCard(item.id);
        // The file has no id yet.
        keep(outcome.id, file.path, { hash: file.hash, ...neverUnchanged }, agreed, "created");
        state.end(open);
      });
      yield { item, pull: { kind: "pull", id: outcome.id, file, to: agreed } };
    }
    yield* early;
  }

  async *#tasksOf(
    items: readonly Item[],
    leave: (item: Item, outcome: Outcome) => void,
  ): AsyncGenerator<Task<Planned>> {
    const { client, step, resolved } = this.#options;
    for (const item of items) {
      const { file, id } = item;
      const to = item.to && resolved(item.to);
      if (file === undefined || item.to === undefined) continue;
      // The file names a card that the list lacks: it is not in this sync, or not listed yet.
      if (to === undefined) leave(item, noFolder);
      else if (id !== undefined && (await ifThere(client.cards.get(id))) !== undefined)
        leave(item, left(`the card ${id} is not among those that are synced`));
      else {
        await step(`create the card of ${file.path}`);
        yield {
          operation: { kind: "cards.create", id: newId(), body: createBody(to) },
          tag: { item, file, to },
        };
      }
    }
  }
}
