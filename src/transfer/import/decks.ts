import { isDeepStrictEqual } from "node:util";
import { apply, type Task } from "../../client/apply/index.ts";
import type { OriginRecord } from "../../client/apply/record.ts";
import { newId, type Template, type TemplateCreate } from "../../schema/index.ts";
import { withoutDeckSettings } from "../../schema/today.ts";
import type { Source, SourceDeck } from "../model.ts";
import { placed } from "../place.ts";
import { isTelling } from "./match.ts";
import type { ImportSummary, ImportTarget } from "./target.ts";
import type { UndoWriter } from "./undo-record.ts";

/** A deck that the account has. */
interface DeckThere {
  readonly id: string;
  readonly name: string;
  readonly parent: string | undefined;
  readonly trashed: boolean;
}

/** Sources that carry ids share what is known of them. */
const sourcesOf = (key: string, origin: string): string[] => [
  ...(origin === "" ? [] : [origin]),
  ...(isTelling(key) ? [""] : []),
];

/** What the record knows a deck by. */
export const deckKey = (key: string): string => `deck ${key}`;

/**
 * The decks of a source that the account has, by their keys: by id, by what an earlier import made of them, else by name
 * at the same place. A deck of the account matches one of the source at most.
 *
 * @param deck the one below which decks without a parent go
 */
export function matchDecks(
  source: Pick<Source, "decks">,
  there: readonly DeckThere[],
  { record, origin }: { readonly record: Pick<OriginRecord, "find">; readonly origin: string },
  deck: string | undefined,
): Map<string, string> {
  const byId = new Set(there.map(({ id }) => id));
  const byPlace = new Map<string, DeckThere[]>();
  for (const each of there) {
    const place = placeKey(each.parent, each.name, each.trashed);
    byPlace.set(place, [...(byPlace.get(place) ?? []), each]);
  }
  const used = new Set<string>();
  const found = new Map<string, string>();
  const take = ({ key }: SourceDeck, ids: readonly (string | undefined)[]) => {
    const id = ids.find((each) => each !== undefined && byId.has(each));
    if (id === undefined || used.has(id)) return;
    used.add(id);
    found.set(key, id);
  };
  for (const each of source.decks)
    take(each, [
      each.id,
      isTelling(each.key) ? each.key : undefined,
      ...sourcesOf(each.key, origin).map((source) => record.find(source, deckKey(each.key))?.id),
    ]);
  for (const each of source.decks) {
    if (found.has(each.key)) continue;
    const parent = each.parent === undefined ? deck : found.get(each.parent);
    if (each.parent !== undefined && parent === undefined) continue;
    const place = placeKey(parent, each.body.name, (each.body["trashed?"] ?? null) !== null);
    take(each, [byPlace.get(place)?.find(({ id }) => !used.has(id))?.id]);
  }
  return found;
}

/** A deck in the trash matches only one that is in the trash in the source, too. */
const placeKey = (parent: string | undefined, name: string, trashed: boolean) =>
  JSON.stringify([parent ?? null, name.normalize("NFC"), trashed]);

type Created = Pick<ImportTarget, "client" | "signal"> & { readonly undo: Pick<UndoWriter, "note"> };
type DecksTarget = Created & Pick<ImportTarget, "record" | "origin" | "deck" | "withDecks" | "skip">;

type Named = { readonly key: string; readonly place: string };

/**
 * Creates the decks of a source that the account lacks, each after the one above it.
 *
 * @returns the ids of all, by their keys
 */
export async function createDecks(
  source: Pick<Source, "decks">,
  target: DecksTarget,
  summary: Pick<ImportSummary, "decks">,
): Promise<Map<string, string>> {
  const { record, deck } = target;
  const ids = new Map<string, string>();
  const hasSettings = await target.client.service.has("deck-settings");
  await target.withDecks(async (there) => {
    async function* tasks(): AsyncGenerator<Task<Named>> {
      for (const { key, parent, body, place } of source.decks) {
        const id = there.get(key) ?? newId();
        ids.set(key, id);
        const above = parent === undefined ? deck : ids.get(parent);
        const { body: plain, left } = withoutDeckSettings(body);
        const sent = hasSettings ? body : plain;
        const whole = { ...sent, ...(above === undefined ? {} : { "parent-id": above }) };
        if (there.has(key)) continue;
        if (!hasSettings && left.length > 0)
          target.skip({
            place,
            what: `${left.join(", ")} of decks`,
            why: "this service has no settings of decks",
          });
        yield { operation: { kind: "decks.create", id, body: whole }, tag: { key, place } };
      }
    }
    const note = (ids: readonly string[]) => target.undo.note(...ids.map((id) => ({ deck: id })));
    for await (const { key, id } of created(tasks(), target, note)) {
      ids.set(key, id);
      summary.decks++;
      record.put(
        sourcesOf(key, target.origin).map((source) => ({
          ...{ source, key: deckKey(key), id, done: true, archived: false },
        })),
      );
    }
  });
  return ids;
}

/** The ids of the templates of a source, by their keys. One that is the same to the letter is used, not made again. */
export async function createTemplates(
  source: Pick<Source, "templates">,
  target: ImportTarget,
  summary: ImportSummary,
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  if (source.templates.length === 0) return ids;
  const existing = await target.client.templates.all();
  async function* tasks(): AsyncGenerator<Task<Named>> {
    for (const { key, body, place } of source.templates) {
      const same = existing.find((each) => isSameTemplate(each, body));
      const id = same?.id ?? newId();
      ids.set(key, id);
      if (same === undefined)
        yield { operation: { kind: "templates.create", id, body }, tag: { key, place } };
    }
  }
  // Templates stay when the import is taken back.
  for await (const { key, id } of created(tasks(), target, () => {})) {
    ids.set(key, id);
    summary.templates++;
  }
  return ids;
}

/** @throws DeckhandError: without a deck or template what belongs to it cannot be made */
async function* created(
  tasks: AsyncIterable<Task<Named>>,
  { client, signal }: Created,
  note: (ids: readonly string[]) => void,
): AsyncGenerator<{ readonly key: string; readonly id: string }> {
  const beforeSend = (sent: readonly Task<Named>[]) => note(sent.map(({ operation }) => operation.id));
  for await (const { task, outcome } of apply(tasks, { client, signal, beforeSend })) {
    if (outcome.state === "refused") throw placed(outcome.error, task.tag.place);
    if (outcome.id !== task.operation.id) note([outcome.id]);
    yield { key: task.tag.key, id: outcome.id };
  }
}

export function isSameTemplate(template: Template, body: TemplateCreate): boolean {
  const plain = (value: unknown) => JSON.parse(JSON.stringify(value, (_, each) => each ?? undefined));
  return (["name", "content", "fields", "style", "options"] as const).every((name) =>
    isDeepStrictEqual(plain(template[name] ?? {}), plain(body[name] ?? {})),
  );
}
