import { card, dueCard } from "./card.ts";
import {
  array,
  type FieldTable,
  instant,
  type ObjectKind,
  object,
  type Received,
  string,
  unknown,
} from "./kinds.ts";

/** A page of a list (docs/design/wire.md, Documents). A bookmark can come after the last page, too. */
export const page = <const F extends FieldTable, R extends string>(of: ObjectKind<F, R>) =>
  object({ docs: array(of, { needed: true }), bookmark: string() });

export interface Page<Document> {
  readonly docs: readonly Document[];
  readonly bookmark?: string | null | undefined;
}

const undocumented = instant({ undocumented: true });

/** The due cards, of which services may send more; the bookmark only with a page (extension due-pages). */
const fullDueCard = object({ ...dueCard.fields, "updated-at": undocumented, "trashed?": undocumented });
export const due = object({ cards: array(fullDueCard, { needed: true }), bookmark: string() });
export const cardPage = page(card);

/** `errors` is an array of messages, or with 422 a map of one message per field (docs/design/wire.md, Answers). */
export const errors = object({ errors: unknown() });

/** What `GET /` of a service with extensions says (docs/design/service.md, Extensions). */
export const serviceInfo = object({
  service: string(),
  version: string(),
  extensions: array(string(), { needed: true }),
  store: string({ about: "Names the store behind the service; a copy of it has the same name." }),
});
export type ServiceInfo = Received<typeof serviceInfo>;
/** What our service has beyond the documented interface. */
export const extensions = [
  "reviews",
  "attachment-list",
  "attachment-download",
  "due-pages",
  "conditional-writes",
  "schedule",
  "ids",
  "batch",
  "today",
  "deck-settings",
  "due-writes",
  "template-writes",
] as const;
export type Extension = (typeof extensions)[number];
