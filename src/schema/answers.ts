import { card, dueCard } from "./card.ts";
import { array, type FieldTable, type ObjectKind, object, type Received, string, unknown } from "./kinds.ts";

/** A page of a list (docs/design/wire.md, Documents). A bookmark can come after the last page, too. */
export const page = <const F extends FieldTable, R extends string>(of: ObjectKind<F, R>) =>
  object({ docs: array(of), bookmark: string() });

export interface Page<Document> {
  readonly docs: readonly Document[];
  readonly bookmark: string | null | undefined;
}

/** The due cards; the bookmark only where a page was asked for (extension due-pages). */
export const due = object({ cards: array(dueCard), bookmark: string() });
export const cardPage = page(card);

/** `errors` is an array of messages, or with 422 a map of one message per field (docs/design/wire.md, Answers). */
export const errors = object({ errors: unknown() });

/** What `GET /` of a service with extensions says (docs/design/service.md, Extensions). */
export const serviceInfo = object({
  service: string(),
  version: string(),
  extensions: array(string()),
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
