import { createHash } from "node:crypto";
import {
  cardUpdate,
  deckUpdate,
  type ObjectKind,
  templateCreate,
  type WireRequest,
} from "../../schema/index.ts";
import { preconditionFailed } from "../errors.ts";
import type { Call } from "../route.ts";

/**
 * The entity tag of a document (extension conditional-writes): a hash of what clients can write. So reviews do not change
 * it.
 */
function tagOf(kind: ObjectKind, document: object, more: readonly string[] = []): string {
  const fields = document as Readonly<Record<string, unknown>>;
  const values = [...Object.keys(kind.fields), ...more].map((name) => fields[name] ?? null);
  return `"${createHash("sha256").update(JSON.stringify(values)).digest("base64url").slice(0, 22)}"`;
}

/** The tag of an attachment is the hash of its bytes. */
export const attachmentTag = ({ hash }: { readonly hash: string }) => ({ etag: `"${hash}"` });
export const cardTag = (card: object) => ({ etag: tagOf(cardUpdate, card, ["attachments"]) });
export const deckTag = (deck: object) => ({ etag: tagOf(deckUpdate, deck) });
export const templateTag = (template: object) => ({ etag: tagOf(templateCreate, template) });

/** The tag of a document, computed where it is needed. */
type Tag = () => { readonly etag: string } | undefined;

/**
 * Whether an update has nothing to write: it is empty, or was carried out before by a batch, which may be sent again as it
 * is whatever its `If-Match` says.
 *
 * @throws Problem as `refuseChanged`
 */
export function isWritten(
  { request, body, batched }: Pick<Call<"decks.update">, "request" | "batched"> & { readonly body: object },
  before: Tag,
  after: Tag,
): boolean {
  const isConditional = request.headers["if-match"] !== undefined;
  if (batched && isConditional && before()?.etag === after()?.etag) return true;
  refuseChanged(request, before);
  return Object.keys(body).length === 0;
}

/**
 * Refuses to write to a document that is not the one that the client has seen.
 *
 * @param tag of the document that is there; undefined if there is none
 * @throws Problem 412 if the request has an `If-Match` without the tag, or an `If-None-Match: *` and there is one.
 */
export function refuseChanged({ headers }: WireRequest, tag: Tag): void {
  const [wanted, unwanted] = [headers["if-match"], headers["if-none-match"]];
  if (wanted === undefined && unwanted === undefined) return;
  const etag = tag()?.etag;
  if (unwanted?.trim() === "*" && etag !== undefined) throw preconditionFailed("it is there already");
  if (wanted === undefined || (wanted.trim() === "*" && etag !== undefined)) return;
  if (!wanted.split(",").some((tag) => tag.trim() === etag))
    throw preconditionFailed("it was changed meanwhile: retrieve it again");
}
