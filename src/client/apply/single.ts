import { DeckhandError, type ErrorCode, isFull } from "../../errors.ts";
import type { Card, PastReview } from "../../schema/index.ts";
import type { Client } from "../index.ts";
import { countCards, lookUp } from "./look-up.ts";
import {
  type Applied,
  type ApplyTarget,
  type Creation,
  isCreation,
  type Operation,
  type Outcome,
  placeOf,
  type Task,
} from "./operations.ts";

/** How often what must not be sent twice blindly is sent, while its answers are lost and it is not found. */
const attempts = 20;
const attemptsAfterFault = 3;
/** Services limit the values of a body. */
const reviewsAtOnce = 500;

export const inPieces = (reviews: readonly PastReview[]): (readonly PastReview[])[] =>
  Array.from({ length: Math.ceil(reviews.length / reviewsAtOnce) }, (_, at) =>
    reviews.slice(at * reviewsAtOnce, (at + 1) * reviewsAtOnce),
  );

/** After these nothing else goes better: the run ends, and can be started again later. */
const fatal: ReadonlySet<ErrorCode> = new Set([
  "network",
  "timeout",
  "unauthorized",
  "forbidden",
  "rate-limited",
  "not-configured",
  "internal",
]);

/** What an error means for an operation. @throws the error where nothing else goes better */
export function refusedOutcome(error: unknown, { kind }: Operation): Outcome {
  if (!(error instanceof DeckhandError)) throw error;
  // Services limit the reviews and the files of a card with 403, which elsewhere speaks of the account.
  const ofCard = error.code === "forbidden" && (kind === "reviews.add" || kind === "attachments.add");
  if ((fatal.has(error.code) && !ofCard) || isFull(error)) throw error;
  return { state: "refused", error };
}

/** Carries out operations one request at a time. */
export class Singles<Tag> {
  readonly #target: ApplyTarget<Tag>;
  /** Whether the service has the extension `ids`. */
  readonly #ids: boolean;
  /** The ids that the service gave, by those that the caller chose. */
  readonly #given = new Map<string, string>();
  /** What a lost creation is not: what was there before, and what was answered. */
  readonly #others = new Set<string>();
  /** How many cards a deck has, and how many decks and templates there are, as far as this run knows. */
  readonly #counts = new Map<string, number>();

  constructor(target: ApplyTarget<Tag>, ids: boolean) {
    this.#target = target;
    this.#ids = ids;
  }

  async carryOut(task: Task<Tag>): Promise<Applied<Tag>> {
    if (task.known !== undefined) return { task, outcome: task.known };
    const operation = this.#withGivenIds(task.operation);
    try {
      const without = isCreation(operation) ? await this.#countBefore(operation) : undefined;
      this.#target.beforeSend?.([task], without);
      return { task, outcome: await this.#send(operation, without) };
    } catch (error) {
      return { task, outcome: refusedOutcome(error, operation) };
    }
  }

  #withGivenIds(operation: Operation): Operation {
    if (this.#given.size === 0) return operation;
    const real = (id: string) => this.#given.get(id) ?? id;
    const id = isCreation(operation) ? operation.id : real(operation.id);
    if (!("body" in operation)) return { ...operation, id };
    const body: Record<string, unknown> = { ...operation.body };
    for (const name of ["deck-id", "parent-id", "template-id"])
      if (typeof body[name] === "string") body[name] = real(body[name]);
    return { ...operation, id, body } as Operation;
  }

  /** Counts what is there before anything is created. @returns how many there are without what is created */
  async #countBefore(creation: Creation): Promise<number | undefined> {
    if (this.#ids) return undefined;
    const place = placeOf(creation);
    const count = this.#counts.get(place) ?? (await this.#counted(creation));
    this.#counts.set(place, count);
    return count;
  }

  async #counted({ kind, body }: Creation): Promise<number> {
    const { client } = this.#target;
    if (kind === "cards.create") return countCards(client, body["deck-id"]);
    const all = await (kind === "decks.create" ? client.decks : client.templates).all();
    for (const { id } of all) this.#others.add(id);
    return all.length;
  }

  async #send(operation: Operation, without: number | undefined): Promise<Outcome> {
    const { client } = this.#target;
    const done = (document: unknown): Outcome => ({
      state: "done",
      id: operation.id,
      document,
      before: false,
    });
    switch (operation.kind) {
      case "cards.update":
        if (operation.body["deck-id"] !== undefined) this.#counts.clear();
        return done(await client.cards.update(operation.id, operation.body, operation.ifMatch));
      case "decks.update":
        return done(await client.decks.update(operation.id, operation.body, operation.ifMatch));
      case "reviews.add":
        return done(await sendReviews(client, operation));
      case "attachments.add": {
        const { id, file, before } = operation;
        const upload = () => client.attachments.add(id, file, before);
        // A file replaces one of its name: it may be sent again, but not where it may only replace another one.
        return done(await (before === undefined ? certainly(upload) : upload()));
      }
      default:
        return this.#create(operation, without);
    }
  }

  async #create(creation: Creation, without: number | undefined): Promise<Outcome> {
    const { client } = this.#target;
    const isOther = (id: string) => this.#others.has(id);
    const send = () => creationCall(client, creation, this.#ids);
    const made = await (this.#ids
      ? send().catch((error: unknown) => Promise.reject(maybeDone(error)))
      : certainly<{ readonly id: string }>(send, () => lookUp(client, creation, { isOther, without })));
    if (!this.#ids) this.#note(creation, made.id);
    const trashed = creation.kind === "cards.create" ? creation.trashed : undefined;
    const document =
      trashed === undefined ? made : await client.cards.update(made.id, { "trashed?": trashed });
    return { state: "done", id: made.id, document: document ?? made, before: false };
  }

  #note(creation: Creation, id: string): void {
    this.#given.set(creation.id, id);
    this.#others.add(id);
    if (creation.kind === "decks.create") this.#counts.set(id, 0);
    const place = placeOf(creation);
    this.#counts.set(place, (this.#counts.get(place) ?? 0) + 1);
  }
}

/** The error of a creation that may be sent again: uncertain unless the service refused it. */
function maybeDone(error: unknown): unknown {
  if (!(error instanceof DeckhandError)) return error;
  const { status = 0, code } = error;
  const isRefusal = (status >= 400 && status < 500 && status !== 408 && status !== 499) || isFull(error);
  if (isRefusal || code === "usage") return error;
  return error.with({ uncertain: true });
}

/** @param ids whether the service takes the id that was chosen */
function creationCall(client: Client, { kind, body, id }: Creation, ids: boolean) {
  const chosen = ids ? { id } : {};
  switch (kind) {
    case "cards.create":
      return client.cards.create({ ...body, ...chosen });
    case "decks.create":
      return client.decks.create({ ...body, ...chosen });
    case "templates.create":
      return client.templates.create({ ...body, ...chosen });
  }
}

/** Sends until it is known what became of it. @param find looks for it after each lost answer */
async function certainly<T>(send: () => Promise<T>, find?: () => Promise<T | undefined>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof DeckhandError) || !error.uncertain) throw error;
      const found = await find?.();
      if (found !== undefined) return found;
      if (attempt >= (error.code === "server" ? attemptsAfterFault : attempts)) throw error;
    }
  }
}

async function sendReviews(
  client: Client,
  { id, reviews }: Extract<Operation, { readonly kind: "reviews.add" }>,
): Promise<Card | undefined> {
  let card: Card | undefined;
  for (const some of inPieces(reviews)) card = await client.reviews.add(id, some);
  return card;
}
