import { type CardDocument, differences, type WantedDocument } from "../../cards/document.ts";
import type { Origin, OriginRecord } from "../../client/apply/record.ts";
import type { Client } from "../../client/index.ts";
import { newerReviews } from "../history.ts";
import type { SourceCard } from "../model.ts";
import { withNewIds } from "../references.ts";
import type { MatchKind, Stage, StagedCard, WhyLeft } from "./stage.ts";
import { readThere, type ThereRow } from "./there.ts";
import { comparable, frontHash, shortHash, wantedBeside, wantedOf } from "./wanted.ts";

export interface MatchOptions {
  readonly client: Client;
  readonly record: OriginRecord;
  /** What the record knows the source by. */
  readonly origin: string;
  /** The deck of the account for each key of the source's decks; a deck that is new is not in it. */
  readonly decks: ReadonlyMap<string, string>;
  /** For cards that have no deck of their own. */
  readonly deck: string | undefined;
  /** Whether cards that were edited in the account are to be as the source says. */
  readonly overwrite: boolean;
  readonly progress: (cards: number) => void;
}

/**
 * Finds out what each card of a source is to the account, in this order: by the id that it carries, as an equal card of
 * its deck (equal ones are counted), by what an import of this source made of it, by its front. Where several cards with
 * one front are left on either side, none is taken for another.
 */
export async function matchCards(stage: Stage, options: MatchOptions): Promise<void> {
  if (!(await readThere(stage, options))) return;
  new Matcher(stage, options).run();
}

/** Ids and guids name one card in the world; short ones may be anybody's numbers. */
export const isTelling = (key: string | null | undefined): key is string => (key?.length ?? 0) >= 8;

/** What the record knows a card by that carries no id. */
export const frontKey = (deck: string, front: string): string => `${deck} ${front}`;

/** What a card is to one of the account. */
interface Judged {
  readonly kind: MatchKind;
  readonly why?: WhyLeft | null;
}

class Matcher {
  readonly #stage: Stage;
  readonly #options: MatchOptions;
  readonly #partial: boolean;

  constructor(stage: Stage, options: MatchOptions) {
    this.#stage = stage;
    this.#options = options;
    this.#partial = stage.source.partial ?? false;
  }

  run(): void {
    this.#findKeys();
    this.#byKey();
    this.#equal();
    this.#others();
  }

  /** Before any is compared, so that references are compared by the ids that the cards have here. */
  #findKeys(): void {
    for (const rows of this.#stage.rows("length(key) >= 8"))
      for (const { number, key } of rows) {
        const there = this.#there(key) ?? this.#there(this.#options.record.find("", key ?? "")?.id);
        if (there !== undefined)
          this.#stage.run("update source set kind = 'differs', id = ? where number = ?", there.id, number);
      }
  }

  #byKey(): void {
    for (const rows of this.#stage.rows("kind = 'differs'"))
      for (const row of rows) {
        const there = this.#there(row.id);
        if (there === undefined) continue;
        if (this.#take(there)) this.#compare(row, there, true);
        else this.#leave(row, "several");
      }
  }

  #equal(): void {
    for (const rows of this.#stage.rows("kind = 'new' and front is not null"))
      for (const row of rows) {
        const deck = this.#deckOf(row);
        if (deck === undefined) continue;
        const card = this.#stage.card(row.number);
        const wanted = this.#wanted(card, false);
        // With the ids of the cards that it names, as the account has it.
        const front = frontHash(wanted) ?? null;
        const there = this.#equalTo(wanted, deck, front, card.trashed !== undefined);
        if (front !== row.front)
          this.#stage.run("update source set front = ? where number = ?", front, row.number);
        if (there !== undefined && this.#take(there)) {
          const isTrashed = card.trashed !== undefined && there.trashed === null && !this.#partial;
          this.#set(row, { there, card, kind: isTrashed ? "changed" : "same" });
        }
      }
  }

  #equalTo(
    wanted: WantedDocument,
    deck: string,
    front: string | null,
    trashed: boolean,
  ): ThereRow | undefined {
    // Mostly the first; of cards that differ in their tags alone, as many as nobody writes by hand.
    for (const most of [1, 50]) {
      const found = this.#stage
        .all<ThereRow>(
          `select * from there where deck = ? and front = ? and used = 0 and content = ? and (trashed is null or ?)
           limit ${most}`,
          ...[deck, front, shortHash(wanted.content ?? ""), Number(trashed)],
        )
        .find((each) => {
          const document: CardDocument = comparable(JSON.parse(each.document));
          return differences(document, wantedBeside(wanted, document, this.#partial)).length === 0;
        });
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Those that are not found yet: by their origin, else by their front. */
  #others(): void {
    const { record, origin } = this.#options;
    for (const rows of this.#stage.rows("kind = 'new' and front is not null"))
      for (const row of rows) {
        const deck = this.#deckOf(row);
        if (deck === undefined) continue;
        const alone = !this.#stage.hasTwin(row, "id is null");
        const key = frontKey(deck, row.front ?? "");
        const own = alone ? this.#there(record.find(origin, key)?.id) : undefined;
        const [there, another] = this.#stage.all<ThereRow>(
          "select * from there where deck = ? and front = ? and used = 0 and trashed is null limit 2",
          ...[deck, row.front],
        );
        if (own !== undefined && this.#take(own)) this.#compare(row, own, false);
        else if (there === undefined) continue;
        else if (!alone || another !== undefined) this.#leave(row, "several");
        else if (this.#take(there)) this.#compare(row, there, false);
      }
  }

  #deckOf({ deck }: StagedCard): string | undefined {
    return deck === null ? this.#options.deck : this.#options.decks.get(deck);
  }

  #there(id: string | null | undefined): ThereRow | undefined {
    return id == null ? undefined : this.#stage.all<ThereRow>("select * from there where id = ?", id)[0];
  }

  /** A card of the account stands for one of the source at most. */
  #take({ id }: ThereRow): boolean {
    if (this.#stage.value("select used from there where id = ?", id) === 1) return false;
    this.#stage.run("update there set used = 1 where id = ?", id);
    return true;
  }

  /** @param pos whether the position counts: cards without ids are found wherever they are */
  #wanted(card: SourceCard, pos: boolean) {
    const ids = {
      get: (key: string) =>
        this.#stage.value<string | undefined>("select id from source where key = ? and id is not null", key),
    };
    const wanted = comparable(wantedOf({ body: withNewIds(card.body, ids) }, this.#partial));
    return pos ? wanted : { ...wanted, pos: undefined };
  }

  #compare(row: StagedCard, there: ThereRow, byKey: boolean): void {
    const card = this.#stage.card(row.number);
    this.#set(row, { there, card, ...this.#judge(row, card, there, byKey) });
  }

  #judge({ read }: StagedCard, card: SourceCard, there: ThereRow, byKey: boolean): Judged {
    const { record, origin, overwrite } = this.#options;
    const document: CardDocument = comparable(JSON.parse(there.document));
    const parts = differences(document, wantedBeside(this.#wanted(card, byKey), document, this.#partial));
    const isTrashed = there.trashed !== null;
    const otherState = !this.#partial && isTrashed !== (card.trashed !== undefined);
    if (parts.length === 0 && !otherState) return { kind: "same" };
    // Another source may have made it: only this one tells what it said of it. Keys of fronts have a space in them.
    const isOwn = ({ source, key }: Origin) =>
      byKey ? source === "" && !key.includes(" ") : source === origin && key.includes(" ");
    const known = record.byId(there.id).filter(isOwn);
    const isWritten = ({ written }: Origin) => written === there.hash;
    const said = known.filter((each) => each.read === read);
    // A name or a reference that was changed on the way makes a card differ, although no one edited it.
    if (!otherState && said.some(isWritten)) return { kind: "same" };
    // The source says what it said: what was edited since stays. A run that was stopped goes on.
    if (!overwrite && said.length > 0)
      return { kind: "same", why: said.some(({ done }) => done) ? "edited" : null };
    const comesBack = otherState && isTrashed;
    const isKnown =
      card.base === there.hash || (card.updated !== undefined && card.updated === there.updated);
    if (!comesBack && (isKnown || known.some(isWritten))) return { kind: "changed" };
    const isArchived = parts.length === 1 && parts[0] === "archived" && document.archived && !otherState;
    const why = comesBack && parts.length === 0 ? "trashed" : isArchived ? "archived" : null;
    return { kind: "differs", why };
  }

  #leave({ number }: StagedCard, why: WhyLeft): void {
    this.#stage.run("update source set kind = 'differs', id = null, why = ? where number = ?", why, number);
  }

  #set(
    { number }: StagedCard,
    match: Judged & { readonly there: ThereRow; readonly card: SourceCard },
  ): void {
    const { there, card, kind, why = null } = match;
    this.#stage.run(
      "update source set kind = ?, id = ?, why = ?, todo_reviews = ? where number = ?",
      ...[kind, there.id, why, newerReviews(card.reviews ?? [], there.reviewed).length, number],
    );
  }
}
