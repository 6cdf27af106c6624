import type { Context } from "../../context/context.ts";
import { DeckhandError, isFull, PartialError } from "../../errors.ts";
import { visible } from "../../output/index.ts";
import { cut } from "../../output/width.ts";
import { count } from "../../output/words.ts";
import type { Match, MatchKind } from "../../transfer/import/match.ts";
import type { ImportPlan } from "../../transfer/import/plan.ts";
import type { Scratch } from "../../transfer/import/scratch.ts";
import type { ImportSummary, ImportTarget } from "../../transfer/import/target.ts";
import type { SourceCard } from "../../transfer/model.ts";
import { createMissing, type Destination, whileOthersCreateNone } from "../shared/create-deck.ts";
import { sentenceOf } from "../shared/import-words.ts";
import { findDecks, journalHeader, type Prepared } from "./prepare.ts";

interface Job extends Prepared {
  readonly scratch: Scratch;
  readonly deck: Destination | undefined;
  readonly journal: string;
  readonly overwrite: boolean;
  /** Cards of the source, those that are there included. */
  readonly total: number;
}

/** Why a card was left as it is on the service. */
const reasons: Readonly<Record<MatchKind, string>> = {
  same: "it is equal",
  changed: "it was changed",
  edited: "it was changed in the collection since its last import or export",
  kept: "it was changed in the collection, and the file was not",
  alike: "a card of the deck has the same front and differs otherwise",
  several: "several cards have the same front",
};

/** The same of a card that differs in nothing else. */
const states: Readonly<Record<NonNullable<Match["state"]>, string>> = {
  trashed: "it is in the trash (deckhand cards restore)",
  archived: "it is archived (deckhand cards unarchive)",
};

export async function carryOut(job: Job, context: Context): Promise<void> {
  await context.print.checkFilter();
  const [{ importSource }, { Journal }, { Ledger }] = await Promise.all([
    import("../../transfer/import/run.ts"),
    import("../../transfer/import/journal.ts"),
    import("../../transfer/import/ledger.ts"),
  ]);
  const { plan, source, journal: path } = job;
  const journal = await Journal.open(path, journalHeader(context));
  if (job.matches.size > 0) journal.noteUpdates();
  const status = await context.io.status();
  const task = status.begin({ label: "Importing cards", unit: "items", total: job.total });
  const ledger = new Ledger(journal);
  const tally = { failed: 0, left: 0, passing: 0 };
  try {
    const deck = job.deck?.missing
      ? await createMissing(job.deck, context, ({ id }) => ledger.noteDeck(id))
      : job.deck;
    const target = await targetOf(job, tally, (cards) => task.set(cards, job.total), context);
    // Another import may have created some of its decks since the plan was made.
    const withDecks: ImportTarget["withDecks"] = (create) =>
      job.newDecks.length === 0
        ? create(job.decks)
        : whileOthersCreateNone(context, async () =>
            create(await findDecks(source, job.known, deck?.id, context)),
          );
    const summary = await importSource(source, plan, { ...target, deck: deck?.id, withDecks, ledger });
    if (tally.failed === 0 && !journal.finished) journal.end("finished");
    task.end();
    await report({ ...summary, left: tally.left }, path, context);
  } catch (error) {
    task.end();
    if (context.signal.aborted) context.io.note(`Stopped. Run it again to continue; the journal is ${path}`);
    throw withHint(error, path);
  } finally {
    task.end();
    journal.close();
    job.known.close();
    // The cache of names knows nothing of the decks and templates that were created.
    if (context.account().kind !== "local") await (await context.names()).decks().catch(() => {});
  }
  if (tally.failed > 0)
    throw new PartialError(`${count(tally.failed, "item")} failed`, {
      // What the service refuses, it refuses again.
      hint: tally.passing > 0 ? "Run it again to try them once more." : undefined,
    });
  if (tally.left > 0) throw leftError(tally.left, job.overwrite);
}

const unsureReason = "it is different in the collection";

export const reasonOf = ({ kind, state, unsure }: Match): string =>
  state === undefined ? (unsure ? unsureReason : reasons[kind]) : states[state];

/** Reports a card that stays as it is on the service, or a part of it, and why. */
export async function leftReporter(
  context: Context,
): Promise<(card: SourceCard, id: string | undefined, why: string) => void> {
  const { beginningOf } = await import("../../transfer/import/match.ts");
  return (card, id, why) => {
    // Anki's notes are named by their texts already.
    const name = card.place.endsWith('")') ? "" : `, ${JSON.stringify(cut(beginningOf(card), 40))}`;
    context.io.note(visible(`left: ${card.place}${name}${id === undefined ? "" : ` (${id})`}: ${why}`));
  };
}

export const leftError = (left: number, overwrite: boolean): PartialError =>
  new PartialError(`${count(left, "card")} left as ${left === 1 ? "it is" : "they are"} in the collection`, {
    hint: overwrite
      ? undefined
      : "--overwrite takes what the file says for those that are listed with an id.",
  });

async function targetOf(
  job: Job,
  tally: { failed: number; left: number; passing: number },
  progress: (cards: number) => void,
  context: Context,
): Promise<Omit<ImportTarget, "ledger" | "deck" | "withDecks">> {
  const { plan } = job;
  const reportLeft = await leftReporter(context);
  const client = await context.client();
  return {
    client,
    reviews: plan.reviews > 0 && (await client.service.has("reviews")),
    attachmentList: plan.attachments > 0 && (await client.service.has("attachment-list")),
    matches: job.matches,
    known: job.known,
    scratch: job.scratch,
    overwrite: job.overwrite,
    now: context.clock.now(),
    skip: ({ place, what, why, count }) => {
      if (isShown(plan, what, why)) return;
      context.io.note(visible(`skipped: ${place}: ${count === undefined ? "" : `${count} `}${what}: ${why}`));
    },
    left: (card, match) => {
      tally.left++;
      reportLeft(card, match.id, reasonOf(match));
    },
    leftFiles: (card, id, files) => {
      tally.left++;
      const names = files.map(({ fileName }) => fileName).join(", ");
      reportLeft(
        card,
        id,
        `${names}: ${files.length === 1 ? "it is another file" : "they are other files"} in the collection`,
      );
    },
    failed: (error) => {
      tally.failed++;
      if (error.uncertain || passing.has(error.code)) tally.passing++;
      context.io.report(error);
    },
    progress: (cards) => {
      context.signal.throwIfAborted();
      progress(cards);
    },
  };
}

/** Whether the plan named every place where something is left out. */
const isShown = ({ skipped }: ImportPlan, what: string, why: string): boolean =>
  skipped.some((group) => group.more === 0 && group.what === what && group.why === why);

/** @param summary what was done, and how many cards were left as they are */
async function report(
  summary: ImportSummary & { readonly left: number },
  path: string,
  context: Context,
): Promise<void> {
  if (context.print.json) await context.print.value({ ...summary, journal: path });
  // Off a terminal, too: an import prints no ids.
  else context.io.note(sentenceOf(summary));
  const { cards, updated, reviews, decks, before, failed } = summary;
  if (cards === 0 && before > 0 && failed === 0)
    context.io.note(
      `All of it had been imported before. To import it again, give another --journal or remove ${path}`,
    );
  else if (cards + updated + reviews + decks > 0 && !context.print.json)
    context.io.note(`To take the import back: deckhand import undo ${path}`);
}

/** Errors that may be over the next time: running the import again is then better advice than that of the request. */
const passing: ReadonlySet<string> = new Set([
  "network",
  "timeout",
  "bad-response",
  "server",
  "rate-limited",
]);

function withHint(error: unknown, path: string): unknown {
  if (!(error instanceof DeckhandError)) return error;
  if (!passing.has(error.code) && (error.hint !== undefined || error.code === "usage")) return error;
  const cause = isFull(error) ? "Free space on its disk" : passing.has(error.code) ? "" : "Correct that";
  const first = cause === "" ? "Run it again" : `${cause}, and run it again`;
  const hint = `${first} to continue: what was done is recorded in ${path}`;
  return new DeckhandError(error.code, error.message, { ...error, cause: error.cause, hint });
}
