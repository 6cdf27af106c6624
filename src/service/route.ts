import type { Readable } from "node:stream";
import type { Days } from "../schedule/days.ts";
import type { RandomBytes } from "../schema/ids.ts";
import type { ObjectKind, OperationId, operations, Sent, WireRequest } from "../schema/index.ts";
import type { Blobs } from "./blobs/blobs.ts";
import type { Bookmarks } from "./bookmarks.ts";
import { invalid } from "./errors.ts";
import type { Learning } from "./learning.ts";
import type { Loads } from "./loads.ts";
import type { Store } from "./store/index.ts";
import type { Db, Place } from "./store/tables.ts";

export interface Limits {
  /** The size of a body, in bytes. */
  readonly body: number;
  /** The size of an attachment, in bytes. */
  readonly attachment: number;
}

/** What handlers work with. */
export interface Service {
  readonly store: Store;
  /** Opened on first use, as uploads are rare. */
  blobs(): Promise<Blobs>;
  /** Their secret is read on first use. */
  bookmarks(): Promise<Bookmarks>;
  readonly limits: Limits;
  /** The days of an account's user. @param db the transaction that asks */
  daysOf(db: Db, account: string): Promise<Days>;
  /** How accounts learn for which nothing else is set. */
  readonly learning: Learning;
  readonly loads: Loads;
  now(): number;
  readonly random: RandomBytes;
  /** Reports a failure that does not change the answer. */
  onError(error: unknown): void;
  /** Reports a card that is left out of a list, since it is damaged. */
  onDamaged(cardId: string): void;
}

type Declared<O extends OperationId> = (typeof operations)[O];
type ParamName<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamName<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;
type Params<O extends OperationId> = { readonly [N in ParamName<Declared<O>["path"]>]: string };
type Query<O extends OperationId> =
  Declared<O> extends { query: infer Q extends ObjectKind } ? Sent<Q> : Record<never, never>;
type Body<O extends OperationId> =
  Declared<O> extends { body: infer B extends ObjectKind } ? Sent<B> : Record<never, never>;

/** One message per failing field or parameter. */
export type Problems = Readonly<Record<string, string>>;

/** A valid request: everything that a handler gets to see. */
export interface Call<O extends OperationId> {
  readonly account: string;
  /** Decoded. */
  readonly params: Params<O>;
  readonly query: Query<O>;
  /** The fields that the operation names; others are ignored (docs/design/service.md). */
  readonly body: Body<O>;
  readonly request: WireRequest;
  /**
   * Whether it is part of a batch, which may be sent again as it is: an update whose document is already what it makes of
   * it has succeeded, whatever `If-Match` says.
   */
  readonly batched?: boolean;
}

/** A request whose query and body were read: the values that are valid on their own, and what is wrong with the rest. */
export interface Draft<O extends OperationId = OperationId> extends Omit<Call<O>, "query" | "body"> {
  readonly query: Partial<Query<O>>;
  readonly body: Partial<Body<O>>;
  readonly problems: Problems | undefined;
}

/** A document, or its JSON text. */
export type ListItem = { readonly document: unknown } | { readonly json: string };

/** A list that is read while it is sent. */
export interface ListReply {
  /** The key of the items in the answer. */
  readonly key: "docs" | "cards" | "results";
  /** Some at a time. */
  readonly items: AsyncIterable<readonly ListItem[]> | Iterable<readonly ListItem[]>;
  /** Called after the last item. @returns undefined where the answer has no bookmark */
  bookmark(): string | undefined;
}

/**
 * The answer of a handler: a document (`before`: that an earlier request created), its JSON text, a list, bytes to stream, or nothing (204). The headers of a document
 * are computed when the transaction is over: hashing a large one takes long.
 */
export type Reply =
  | ListReply
  | { readonly document: unknown; readonly headers?: () => Headers; readonly before?: boolean }
  | { readonly json: string; readonly headers?: () => Headers; readonly before?: boolean }
  | { readonly bytes: Readable; readonly headers: Headers }
  | undefined;
type Headers = Readonly<Record<string, string>>;

/** What carries out one operation. Each of the constructors below refuses an invalid request before its handler. */
export type Route<O extends OperationId> = (draft: Draft<O>, service: Service) => Promise<Reply>;

/**
 * The only way from a draft to a call.
 *
 * @throws Problem 422 that names every failing field: those of the draft, and those that the caller has found.
 */
function validated<O extends OperationId>(draft: Draft<O>, found?: Problems): Call<O> {
  const all: Record<string, string> = Object.assign(
    Object.create(null),
    draft.problems,
    found,
    draft.problems,
  );
  if (Object.keys(all).length > 0) throw invalid(all);
  return draft as unknown as Call<O>;
}

/** A route whose handler runs its own transactions. */
export function route<O extends OperationId>(
  handle: (call: Call<O>, service: Service) => Promise<Reply>,
): Route<O> {
  return (draft, service) => handle(validated(draft), service);
}

/** A route whose handler reads from one state of the store. */
export function reading<O extends OperationId>(
  handle: (call: Call<O>, db: Db, service: Service) => Promise<Reply>,
): Route<O> {
  return async (draft, service) => {
    const call = validated(draft);
    return service.store.read((db) => handle(call, db, service));
  };
}

interface Writing<O extends OperationId, Target> {
  /** Finds what is written to. A 404 from here goes before any 422. */
  find(draft: Draft<O>, db: Db, service: Service): Promise<Target>;
  /** Problems with what the fields name, such as a deck that does not exist. */
  problems?(draft: Draft<O>, db: Db, target: Target): Promise<Problems>;
  handle(call: Call<O>, db: Db, target: Target, service: Service): Promise<Reply>;
}

/** A route whose work is in one writing transaction: its own, or that of a batch. */
export interface WritingRoute<O extends OperationId> extends Route<O> {
  /** @throws Problem where it has changed nothing */
  within(draft: Draft<O>, db: Db, service: Service): Promise<Reply>;
}

/** A route whose checks and handler run in one writing transaction. */
export function writing<O extends OperationId, Target>(steps: Writing<O, Target>): WritingRoute<O> {
  const within = async (draft: Draft<O>, db: Db, service: Service) => {
    const target = await steps.find(draft, db, service);
    const call = validated(draft, await steps.problems?.(draft, db, target));
    return steps.handle(call, db, target, service);
  };
  const route: Route<O> = (draft, service) =>
    service.store.write(draft.account, (db) => within(draft, db, service));
  return Object.assign(route, { within });
}

/** One page of a list. */
export interface PageRequest {
  /** The place after which it begins; undefined for the start. */
  readonly after: Place | undefined;
  /** Its bookmark, from the place of its last item; an empty page returns the bookmark that was sent, or `nil`. */
  bookmark(last: Place | undefined): string;
}

/**
 * A route that answers a page of a list; an invalid bookmark is refused with the rest of the query.
 *
 * @param filter a bookmark is valid only for the same operation with the same filter.
 */
export function listing<O extends OperationId>(
  filter: (draft: Draft<O>) => string,
  handle: (call: Call<O>, page: PageRequest, service: Service) => Promise<Reply>,
): Route<O> {
  return async (draft, service) => {
    const sent = (draft.query as { bookmark?: string }).bookmark;
    const scope = JSON.stringify([draft.account, filter(draft)]);
    const bookmarks = await service.bookmarks();
    const place = sent === undefined ? "start" : bookmarks.read(scope, sent);
    const problems = place === undefined ? { bookmark: "is not a bookmark of this list" } : undefined;
    const call = validated(draft, problems);
    const bookmark = (last: Place | undefined) =>
      last === undefined ? (sent ?? bookmarks.start) : bookmarks.write(scope, last);
    return handle(call, { after: place === "start" ? undefined : place, bookmark }, service);
  };
}
