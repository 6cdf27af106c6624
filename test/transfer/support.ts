import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { OriginRecord } from "../../src/client/apply/record.ts";
import { type Client, createClient } from "../../src/client/index.ts";
import { DeckhandError } from "../../src/errors.ts";
import type { Card, Deck, Template, WireAnswer, WireRequest } from "../../src/schema/index.ts";
import type { Application } from "../../src/service/app.ts";
import { type ExportSummary, exportCollection } from "../../src/transfer/export/export.ts";
import { type OpenOptions, openSource } from "../../src/transfer/formats/open.ts";
import { matchDecks } from "../../src/transfer/import/decks.ts";
import { compareFiles } from "../../src/transfer/import/files.ts";
import { matchCards } from "../../src/transfer/import/match.ts";
import { type ImportPlan, planOf } from "../../src/transfer/import/plan.ts";
import { importStaged } from "../../src/transfer/import/run.ts";
import { Stage } from "../../src/transfer/import/stage.ts";
import type { ImportSummary } from "../../src/transfer/import/target.ts";
import { ImportRecords } from "../../src/transfer/import/undo-record.ts";
import type { ExportFormat, Skipped, Source, SourceCard } from "../../src/transfer/model.ts";
import { httpOver } from "../support/http.ts";
import { openTestApplication, temporaryFolder } from "../support/service.ts";

/**
 * A client of a local service of its own, which is empty.
 *
 * @param onRequest is told of each request and may throw instead of having it answered, answer it itself, or say that its
 * answer is lost
 */
export async function emptyAccount(
  onRequest: (request: WireRequest) => WireAnswer | "lost" | undefined = () => undefined,
): Promise<Client> {
  return clientOf(await openTestApplication(), { account: "default" }, onRequest);
}

/** A client of an account of a local service. */
export function clientOf(
  application: Pick<Application, "as">,
  { account }: { readonly account: string } = { account: "default" },
  onRequest: (request: WireRequest) => WireAnswer | "lost" | undefined = () => undefined,
): Client {
  const transport = application.as(account);
  return createClient(
    httpOver({
      ...transport,
      send: async (request) => {
        const instead = onRequest(request);
        if (typeof instead === "object") return instead;
        const answer = await transport.send(request);
        if (instead === "lost")
          throw new DeckhandError("network", "the answer was lost", { uncertain: true });
        return answer;
      },
    }),
  );
}

export interface Imported {
  readonly plan: ImportPlan;
  readonly summary: ImportSummary;
  readonly skipped: readonly Skipped[];
  readonly failures: readonly DeckhandError[];
}

export interface ImportOptions extends OpenOptions {
  readonly deck?: string;
  /** Holds the record of origins and that of the import; a new one if not given. */
  readonly folder?: string;
  /** Whether what the account has is found, as the command does; otherwise all is created. */
  readonly match?: boolean;
  readonly update?: boolean;
  /** What happens between the plan and the run. */
  readonly meanwhile?: (stage: Stage) => void;
}

/** Imports a file as the command does, into the account of a client. */
export async function importFile(
  client: Client,
  path: string,
  options: ImportOptions = {},
): Promise<Imported> {
  const { deck, folder = temporaryFolder(), update = false } = options;
  const opened = await openSource(path, options);
  const skipped: Skipped[] = [];
  const source: Source = {
    ...opened,
    // Complete only when the cards were read.
    get decks() {
      return opened.decks;
    },
    get templates() {
      return opened.templates;
    },
    cards: (skip) =>
      opened.cards((each) => {
        skipped.push(each);
        skip(each);
      }),
    close: () => opened.close(),
  };
  const stage = await Stage.read(source);
  const record = OriginRecord.open(join(folder, "origins.db"), "test");
  const records = new ImportRecords(join(folder, "imports.db"), "test");
  const undo = records.writer({ name: path, origin: path, at: Date.now() });
  const failures: DeckhandError[] = [];
  const mode = { update, overwrite: false, resumed: records.stopped(path) !== undefined };
  try {
    const there = await client.decks.all();
    const decks = options.match
      ? matchDecks(
          stage.source,
          there.map(({ id, name, "parent-id": parent }) => ({
            ...{ id, name: name ?? "", parent: parent ?? undefined, trashed: false },
          })),
          { record, origin: path },
          deck,
        )
      : new Map<string, string>();
    if (options.match)
      await matchCards(stage, {
        client,
        record,
        origin: path,
        decks,
        deck,
        overwrite: false,
        progress: () => {},
      });
    await compareFiles(stage, client, mode);
    const plan = planOf(stage, mode, stage.source.decks.length, stage.source.templates.length);
    options.meanwhile?.(stage);
    const summary = await importStaged(stage, {
      ...{ client, signal: new AbortController().signal, record, origin: path, undo, deck, mode },
      withDecks: (create) => create(decks),
      now: Date.now(),
      left: () => {},
      skip: (each) => skipped.push(each),
      failed: (error) => failures.push(error),
      progress: () => {},
    });
    undo.finish();
    return { plan, summary, skipped, failures };
  } finally {
    records.close();
    record.close();
    stage.close();
    await source.close();
  }
}

export function exportFile(
  client: Client,
  target: string,
  format: ExportFormat,
  decks?: ReadonlySet<string>,
): Promise<ExportSummary> {
  return exportCollection({
    client,
    target,
    format,
    account: "test",
    deck: undefined,
    decks,
    attachmentList: true,
    attachmentDownload: true,
    progress: () => {},
  });
}

/** All that a source holds. */
export async function readAll(
  path: string,
  options: OpenOptions = {},
): Promise<{
  source: Source;
  cards: SourceCard[];
  skipped: Skipped[];
}> {
  const source = await openSource(path, options);
  const skipped: Skipped[] = [];
  const cards: SourceCard[] = [];
  try {
    for await (const card of source.cards((each) => skipped.push(each))) cards.push(card);
  } finally {
    await source.close();
  }
  return { source, cards, skipped };
}

export interface Whole {
  readonly decks: readonly Deck[];
  readonly templates: readonly Template[];
  readonly cards: readonly Card[];
  /** By card and name: content type and bytes. */
  readonly files: readonly {
    readonly card: string;
    readonly name: string;
    readonly type: string;
    readonly bytes: string;
  }[];
}

/** Everything that an account has. */
export async function wholeAccount(client: Client): Promise<Whole> {
  const decks: Deck[] = [];
  for (const { id } of await client.decks.all()) decks.push(await client.decks.get(id));
  const cards: Card[] = [];
  for await (const page of client.cards.pages()) cards.push(...page.docs);
  const files: Whole["files"][number][] = [];
  for await (const page of client.attachments.all())
    for (const file of page) {
      const bytes = await client.attachments.fetch(file["card-id"], file["file-name"], ({ body }) =>
        buffer(body),
      );
      files.push({
        card: file["card-id"],
        name: file["file-name"],
        type: file.type ?? "",
        bytes: bytes.toString("base64"),
      });
    }
  return { decks, templates: await client.templates.all(), cards, files };
}

/**
 * An account without what services make anew, in an order that does not depend on it: ids are replaced by what they stand
 * for, instants of creation are left out.
 */
export function comparable({ decks, templates, cards, files }: Whole): unknown {
  const names = new Map<string, string>();
  const deckOf = new Map(decks.map((deck) => [deck.id, deck]));
  const pathOf = (deck: Deck | undefined): unknown =>
    deck === undefined ? null : [pathOf(deckOf.get(deck["parent-id"] ?? "")), deck.name, deck.sort];
  for (const deck of decks) names.set(deck.id, `deck ${JSON.stringify(pathOf(deck))}`);
  for (const template of templates)
    names.set(template.id, `template ${JSON.stringify([template.name, template.pos])}`);
  for (const card of cards)
    names.set(card.id, `card ${JSON.stringify([names.get(card["deck-id"] ?? ""), card.pos])}`);
  const renamed = (value: unknown): unknown => {
    if (typeof value === "string")
      return names.get(value) ?? value.replace(/[0-9A-Za-z]{8}/g, (id) => names.get(id) ?? id);
    if (Array.isArray(value)) return value.map(renamed);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key]) => key !== "created-at" && key !== "updated-at")
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, each]) => [
          key,
          key === "tags" || key === "manual-tags" ? [...(each as string[])].sort() : renamed(each),
        ]),
    );
  };
  const sorted = (items: readonly unknown[]) => items.map((item) => JSON.stringify(renamed(item))).sort();
  return { decks: sorted(decks), templates: sorted(templates), cards: sorted(cards), files: sorted(files) };
}
