import type { DeckhandError } from "../../errors.ts";
import type { Upload } from "../../http/index.ts";
import type {
  CardCreate,
  CardUpdate,
  DeckCreate,
  DeckUpdate,
  PastReview,
  TemplateCreate,
} from "../../schema/index.ts";
import type { Client } from "../index.ts";

/**
 * What is to be done to a collection. The caller chooses the `id` of a creation (`newId`), records it, and has it sent. On
 * a service without the extension `ids` it only stands for the id that the service gives: in later operations `apply`
 * replaces it as `id`, `deck-id`, `parent-id` and `template-id`.
 */
export type Operation =
  /** A card cannot be created in the trash: it is put there right after. */
  | (Changing<"cards.create", CardCreate> & { readonly trashed?: string | undefined })
  | Changing<"decks.create", DeckCreate>
  | Changing<"templates.create", TemplateCreate>
  /** @property ifMatch the entity tag that the document must still have; only with the extension `conditional-writes` */
  | (Changing<"cards.update", CardUpdate> & { readonly ifMatch?: string | undefined })
  | (Changing<"decks.update", DeckUpdate> & { readonly ifMatch?: string | undefined })
  /** Any number of them; `id` is the card. */
  | { readonly kind: "reviews.add"; readonly id: string; readonly reviews: readonly PastReview[] }
  /** Always a request of its own; `id` is the card. @property before as in `client.attachments.add` */
  | {
      readonly kind: "attachments.add";
      readonly id: string;
      readonly file: Upload;
      readonly before?: string | undefined;
    };

interface Changing<Kind, Body> {
  readonly kind: Kind;
  readonly id: string;
  readonly body: Body;
}

export type Creation = Extract<
  Operation,
  { readonly kind: "cards.create" | "decks.create" | "templates.create" }
>;

export const isCreation = (operation: Operation): operation is Creation => operation.kind.endsWith(".create");

/** Where a creation is counted: the deck of a card, or all decks, or all templates. */
export const placeOf = (creation: Creation): string =>
  creation.kind === "cards.create" ? creation.body["deck-id"] : creation.kind;

/** An operation, with what the caller knows it by. */
export interface Task<Tag> {
  readonly operation: Operation;
  readonly tag: Tag;
  /** What became of it, where that is known already: it is given in its place, and nothing is sent. */
  readonly known?: Outcome | undefined;
}

export type Tasks<Tag> = Iterable<Task<Tag>> | AsyncIterable<Task<Tag>>;

export type Outcome =
  | {
      readonly state: "done";
      /** The real id. */
      readonly id: string;
      /** The document as it is now, where the service returned it: none where it was deleted since. */
      readonly document?: unknown;
      /** A creation that the service had carried out before: by an earlier request, of this run or another. */
      readonly before: boolean;
    }
  | { readonly state: "refused"; readonly error: DeckhandError };

export interface Applied<Tag> {
  readonly task: Task<Tag>;
  readonly outcome: Outcome;
}

export interface ApplyTarget<Tag> {
  readonly client: Client;
  readonly signal: AbortSignal;
  /**
   * Called with the tasks that are sent next: what must not be created twice is recorded here, on the disk when this
   * returns.
   *
   * @param without of a creation on a service without `ids`: how many there are without it, as `lookUp` takes it
   */
  beforeSend?(tasks: readonly Task<Tag>[], without: number | undefined): void;
  /** Whether each operation is a request of its own, so that nothing after one that is refused has been sent. */
  readonly oneByOne?: boolean;
}
