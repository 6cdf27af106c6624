import { DeckhandError } from "../../errors.ts";
import type { CardCreate, DeckCreate } from "../../schema/index.ts";
import type { Source, SourceCard, SourceDeck } from "../model.ts";
import { broken, placed } from "../place.ts";
import { adoptSchedule } from "../schedule.ts";
import { Belongings } from "./belongings.ts";
import { CardReferences } from "./card-references.ts";
import { EarlierDecks } from "./earlier-decks.ts";
import type { Journal } from "./journal.ts";
import type { Made } from "./journal-lines.ts";
import { isTelling, noteCard } from "./known.ts";
import type { Result } from "./ledger.ts";
import { isLeft, type Match } from "./match.ts";
import { sourceHash } from "./parts.ts";
import type { ImportPlan } from "./plan.ts";
import { findCard, findDeck, findTemplate, noteAll, noteDeck } from "./reconcile.ts";
import { textOf } from "./references.ts";
import { isSameTemplate } from "./same-template.ts";
import type { ImportSummary, ImportTarget } from "./target.ts";
import { updateCard } from "./update.ts";

/**
 * Makes all of a source on the service, in its order: decks, templates, then each card with what belongs to it; at the
 * end references to cards that came later are put right.
 *
 * @throws DeckhandError where it cannot go on; with a journal it can be run again
 */
export async function importSource(
  source: Source,
  plan: ImportPlan,
  target: ImportTarget,
): Promise<ImportSummary> {
  return new Import(target, plan, source.partial ?? false).run(source);
}

class Import {
  readonly #target: ImportTarget;
  readonly #decks = new Map<string, string>();
  readonly #earlier: EarlierDecks;
  readonly #templates = new Map<string, string>();
  readonly #references: CardReferences;
  readonly #summary: ImportSummary = {
    decks: 0,
    templates: 0,
    cards: 0,
    attachments: 0,
    reviews: 0,
    "due-dates": 0,
    updated: 0,
    unchanged: 0,
    kept: 0,
    failed: 0,
    before: 0,
  };
  readonly #belongings: Belongings;
  readonly #partial: boolean;

  constructor(target: ImportTarget, plan: ImportPlan, partial: boolean) {
    this.#target = target;
    this.#partial = partial;
    const fail = (error: DeckhandError, place: string) => this.#fail(error, place);
    this.#references = new CardReferences(target, plan.references, fail);
    this.#belongings = new Belongings(target, this.#summary, fail);
    this.#earlier = new EarlierDecks(target.client, target.ledger.journal?.path);
    if (target.deck !== undefined) this.#earlier.add(target.deck, undefined);
  }

  async run(source: Source): Promise<ImportSummary> {
    const { journal } = this.#target.ledger;
    if (journal !== undefined && source.decks.length > 0)
      await noteAll(this.#target.client, "decks", journal);
    await this.#target.withDecks(async (there) => {
      for (const deck of source.decks) await this.#deck(deck, there);
    });
    if (source.templates.length > 0) await this.#makeTemplates(source);
    if (source.schedule !== undefined)
      await adoptSchedule(source.schedule, this.#target.client, this.#target.skip);
    let number = 0;
    for await (const card of source.cards(this.#target.skip)) {
      number++;
      await this.#card(card, number);
      this.#target.progress(number);
    }
    await this.#references.complete();
    return this.#summary;
  }

  async #deck(deck: SourceDeck, there: ReadonlyMap<string, string>): Promise<void> {
    const { client, ledger } = this.#target;
    const parent = deck.parent === undefined ? this.#target.deck : this.#decks.get(deck.parent);
    const body: DeckCreate = { ...deck.body, ...(parent === undefined ? {} : { "parent-id": parent }) };
    // Named by its key: if a failed card changes its deck before the next run, the numbers of the decks may change.
    const item = `deck ${deck.key}`;
    const isNew = !ledger.isDone(item);
    if (isNew && parent !== undefined) await this.#earlier.assertThere(parent, deck.place);
    const existing = isNew ? there.get(deck.key) : undefined;
    if (existing !== undefined) {
      ledger.use(item, body, existing);
      this.#decks.set(deck.key, existing);
      return;
    }
    const { journal } = ledger;
    const result = await ledger.perform({
      item,
      sent: body,
      send: async () => ({ id: (await client.decks.create(body).send()).id }),
      ...(journal && { settle: () => findDeck(client, body, journal) }),
    });
    const id = idOf(result, deck.place);
    if (isNew) {
      this.#summary.decks++;
      journal?.note({ deck: id, cards: 0 });
    } else this.#earlier.add(id, deck);
    this.#decks.set(deck.key, id);
    if (isTelling(deck.key)) this.#target.known.note("deck", deck.key, { id });
  }

  async #makeTemplates(source: Source): Promise<void> {
    const { client, ledger } = this.#target;
    const { journal } = ledger;
    if (journal !== undefined) await noteAll(client, "templates", journal);
    const before = journal?.idsBefore("templates");
    const existing = (await client.templates.all()).filter(
      ({ id }) => before === undefined || before.has(id),
    );
    for (const [index, { key, body, place }] of source.templates.entries()) {
      const item = `template ${index + 1}`;
      const same = ledger.isDone(item) ? undefined : existing.find((each) => isSameTemplate(each, body));
      if (same !== undefined) {
        ledger.use(item, body, same.id);
        this.#templates.set(key, same.id);
        continue;
      }
      const result = await ledger.perform({
        item,
        sent: body,
        send: async () => ({ id: (await client.templates.create(body).send()).id }),
        ...(journal && { settle: () => findTemplate(client, body, journal) }),
      });
      this.#templates.set(key, idOf(result, place));
      if (result.state === "done" && !result.before) this.#summary.templates++;
    }
  }

  async #card(card: SourceCard, number: number): Promise<void> {
    const { client, ledger, matches, known } = this.#target;
    const item = `card ${number}`;
    // If the outcome of an earlier run is unknown, the match may be the card that it sent: that is settled first.
    const match = ledger.isUnknown(item) ? undefined : matches.get(number);
    if (match !== undefined) return this.#there(card, number, match);
    const deck = card.deck === undefined ? this.#target.deck : this.#decks.get(card.deck);
    if (deck === undefined)
      throw broken(
        card.place,
        "its deck was not there when the input was read",
        "Was it edited? Run it again.",
      );
    if (!ledger.isDone(item)) await this.#earlier.assertThere(deck, card.place);
    const template =
      card.template && ("id" in card.template ? card.template.id : this.#templates.get(card.template.key));
    const asRead: CardCreate = {
      ...card.body,
      "deck-id": deck,
      ...(template === undefined ? {} : { "template-id": template }),
    };
    const body = this.#references.rewritten(asRead);
    const source = sourceHash(card, this.#partial);
    const { journal } = ledger;
    if (journal !== undefined) await noteDeck(client, deck, journal);
    const result = await ledger.perform({
      item,
      sent: asRead,
      send: async () => {
        const made = await client.cards.create(body).send();
        // Before they are sent: an undo must know them after a kill in between.
        const reviews = this.#target.reviews ? card.reviews?.length : undefined;
        const hash = noteCard(known, card.key, made, source);
        return { id: made.id, at: made["created-at"] ?? undefined, card: hash, source, reviews };
      },
      announced: matches.size > 0,
      ...(journal && { settle: () => this.#findSent(card, asRead, item, journal) }),
    });
    if (result.state === "failed") return this.#fail(result.error, card.place);
    if (result.before) this.#summary.before++;
    else this.#summary.cards++;
    if (result.id === undefined) return;
    this.#references.know(card.key, result.id);
    this.#references.add(card, number, {
      id: result.id,
      sent: result.before || result.found ? undefined : textOf(body),
      created: true,
    });
    await this.#belongings.add(card, result.id, number);
  }

  /** A card whose answer was lost. An earlier run may have sent it when fewer of the cards that it names were there. */
  async #findSent(
    card: SourceCard,
    asRead: CardCreate,
    item: string,
    journal: Journal,
  ): Promise<Made | undefined> {
    const { client, known } = this.#target;
    const found = await findCard(client, asRead, journal, item, this.#references.asRead());
    if (found?.id === undefined) return undefined;
    const source = sourceHash(card, this.#partial);
    if (isTelling(card.key)) known.note("card", card.key, { id: found.id, card: found.card, source });
    return { ...found, source };
  }

  /** A card that the account has: it is updated where the source changed, or the user wants it. */
  async #there(card: SourceCard, number: number, match: Match): Promise<void> {
    const { kind, id, hash, since } = match;
    const { overwrite } = this.#target;
    const source = sourceHash(card, this.#partial);
    if (id !== undefined) this.#references.know(card.key, id);
    if (kind === "kept" && !overwrite) {
      this.#summary.kept++;
      const reviewed = { ...card, attachments: [] };
      if (id !== undefined) await this.#belongings.update(reviewed, { id, number, since, isChanged: false });
      return;
    }
    if (id === undefined || isLeft(match, overwrite)) return this.#target.left(card, match);
    const body = this.#references.rewritten(card.body);
    if (kind === "same") {
      this.#summary.unchanged++;
      // An earlier run may have been stopped between the update and this.
      if (hash !== undefined && isTelling(card.key))
        this.#target.known.note("card", card.key, { id, card: hash, source });
      if (hash !== undefined) this.#target.ledger.noteCreated(`card ${number}`, id, hash);
    } else {
      const result = await updateCard(this.#target, {
        card: { ...card, body },
        source,
        number,
        id,
        untouched: kind === "changed",
        partial: this.#partial,
      });
      if (result.state === "failed") return this.#fail(result.error, card.place);
      if (result.before) this.#summary.before++;
      else this.#summary.updated++;
    }
    this.#references.add(card, number, { id, sent: textOf(body), created: false });
    await this.#belongings.update(card, { id, number, since, isChanged: kind !== "same" });
  }

  #fail(error: DeckhandError, place: string): void {
    this.#summary.failed++;
    this.#target.failed(placed(error, place));
  }
}

/** @throws DeckhandError: without a deck or template what belongs to it can't be made */
function idOf(result: Result, place: string): string {
  if (result.state === "failed") throw placed(result.error, place);
  if (result.id === undefined) throw new DeckhandError("internal", `${place}: it was made without an id`);
  return result.id;
}
