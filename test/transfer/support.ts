import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { type Client, createClient } from "../../src/client/index.ts";
import { type DeckhandError, NetworkError } from "../../src/errors.ts";
import type { Card, Deck, Template, WireAnswer, WireRequest } from "../../src/schema/index.ts";
import type { Application } from "../../src/service/app.ts";
import { type ExportSummary, exportCollection } from "../../src/transfer/export/export.ts";
import type { CsvWriteOptions } from "../../src/transfer/formats/csv/write.ts";
import { type OpenOptions, openSource } from "../../src/transfer/formats/open.ts";
import { Journal } from "../../src/transfer/import/journal.ts";
import { Ledger } from "../../src/transfer/import/ledger.ts";
import { noMatches } from "../../src/transfer/import/match.ts";
import { type ImportPlan, planImport } from "../../src/transfer/import/plan.ts";
import { importSource } from "../../src/transfer/import/run.ts";
import { Scratch } from "../../src/transfer/import/scratch.ts";
import type { ImportSummary } from "../../src/transfer/import/target.ts";
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
        if (instead === "lost") throw new NetworkError("the answer was lost", { uncertain: true });
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
  /** The path of the journal; false for none, where a run is not to be continued: it is synced for each item. */
  readonly journal?: string | false;
}

/** Imports a file as the command does, into the account of a client. */
export async function importFile(
  client: Client,
  path: string,
  options: ImportOptions = {},
): Promise<Imported> {
  const source = await openSource(path, options);
  const skipped: Skipped[] = [];
  const failures: DeckhandError[] = [];
  const scratch = new Scratch();
  const journal =
    options.journal === false
      ? undefined
      : await Journal.open(options.journal ?? join(temporaryFolder(), "journal"), {
          command: "import",
          account: "test",
        });
  try {
    const plan = await planImport(source);
    const summary = await importSource(source, plan, {
      client,
      ledger: new Ledger(journal),
      deck: options.deck,
      reviews: true,
      attachmentList: true,
      withDecks: (create) => create(new Map()),
      matches: noMatches,
      scratch,
      known: { note: () => {} },
      overwrite: false,
      now: Date.now(),
      leftFiles: () => {},
      left: () => {},
      skip: (each) => skipped.push(each),
      failed: (error) => failures.push(error),
      progress: () => {},
    });
    return { plan, summary, skipped, failures };
  } finally {
    journal?.close();
    scratch.close();
    await source.close();
  }
}

export function exportFile(
  client: Client,
  target: string,
  format: ExportFormat,
  decks?: ReadonlySet<string>,
  csv?: CsvWriteOptions,
): Promise<ExportSummary> {
  return exportCollection({
    client,
    target,
    format,
    account: "test",
    ...(csv && { csv }),
    deck: undefined,
    confirm: async () => {},
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
  for (const { id } of await client.decks.all()) decks.push(await client.decks.get(id).send());
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
