import type { Context } from "../../context/context.ts";
import { DeckhandError, isFull, PartialError } from "../../errors.ts";
import { visible } from "../../output/index.ts";
import { cut } from "../../output/width.ts";
import { count } from "../../output/words.ts";
import type { MatchKind, StagedCard } from "../../transfer/import/stage.ts";
import type { ImportSummary, ImportTarget, Left } from "../../transfer/import/target.ts";
import type { UndoWriter } from "../../transfer/import/undo-record.ts";
import { createMissing, whileOthersCreateNone } from "../shared/create-deck.ts";
import { decksThere, type Prepared } from "./prepare.ts";
import { beginningOf, resultSentence } from "./words.ts";

/** What is left or fails, for the exit code and its hint. */
interface Tally {
  failed: number;
  /** Those of the failed ones that may pass the next time. */
  passing: number;
  left: number;
  /** Whether only the file changed some of what is left. */
  changed: boolean;
  /** Whether some of what is left can be replaced. */
  replaceable: boolean;
}

/** @throws PartialError where cards were left or failed */
export async function carryOut(prepared: Prepared, undo: UndoWriter, context: Context): Promise<void> {
  await context.print.checkFilter();
  const { importStaged } = await import("../../transfer/import/run.ts");
  const { stage, record, plan } = prepared;
  const tally: Tally = {
    failed: unreadable(prepared),
    passing: 0,
    left: 0,
    changed: false,
    replaceable: false,
  };
  const total = stage.value<number>("select count(*) from source");
  const task = (await context.io.status()).begin({ label: "Importing cards", unit: "items", total });
  try {
    const deck = prepared.deck?.missing
      ? await createMissing(prepared.deck, context, ({ id }) => undo.note({ deck: id }))
      : prepared.deck;
    const target: ImportTarget = {
      ...{ client: await context.client(), signal: context.signal, record, undo },
      ...{ origin: prepared.origin, mode: prepared.mode, deck: deck?.id, now: context.clock.now() },
      // Another import may have created some of its decks since the plan was made.
      withDecks: async (create) =>
        prepared.newDecks.length === 0
          ? create(await decksThere(stage, prepared, deck?.id, context))
          : whileOthersCreateNone(context, async () =>
              create(await decksThere(stage, prepared, deck?.id, context)),
            ),
      skip: ({ place, what, why }) => context.io.note(visible(`skipped: ${place}: ${what}: ${why}`)),
      left: (left) => reportLeft(left, tally, context),
      failed: (error) => {
        tally.failed++;
        if (error.uncertain || passing.has(error.code)) tally.passing++;
        context.io.report(error);
      },
      progress: (cards) => {
        context.signal.throwIfAborted();
        task.set(cards, total);
      },
    };
    const summary = await importStaged(stage, target);
    task.end();
    reportLeftRows(prepared, tally, context);
    if (tally.failed === 0) undo.finish();
    await report({ ...summary, left: tally.left }, undo.id, context);
  } catch (error) {
    task.end();
    if (context.signal.aborted) context.io.note("Stopped. Run it again to continue.");
    throw withHint(error);
  } finally {
    task.end();
    // The decks that are known on this machine are those before the import.
    if (plan.decks > 0 && context.account().kind !== "local")
      await (await context.names()).decks({ now: true }).catch(() => {});
  }
  throwIfPartial(tally, prepared);
}

/** Where nothing is to be done: what differs is listed all the same. @throws PartialError */
export async function reportIdle(prepared: Prepared, context: Context): Promise<void> {
  const { same, kept } = prepared.plan.there;
  const tally: Tally = {
    failed: unreadable(prepared),
    passing: 0,
    left: 0,
    changed: false,
    replaceable: false,
  };
  reportLeftRows(prepared, tally, context);
  const { emptySummary } = await import("../../transfer/import/target.ts");
  if (context.print.json)
    await context.print.value({ ...emptySummary(), unchanged: same, kept, left: tally.left });
  throwIfPartial(tally, prepared);
}

/** Files that were to be read and could not be. */
const unreadable = ({ plan: { skipped } }: Prepared): number =>
  skipped.reduce((sum, { failed, count }) => (failed ? sum + count : sum), 0);

/** Lists what is left without --update or --overwrite. */
function reportLeftRows({ stage, mode }: Prepared, tally: Tally, context: Context): void {
  const where = `kept = 0 and (kind = 'differs' ${mode.overwrite ? "and id is null" : ""}
    ${mode.update ? "" : "or (kind = 'changed' and begun = 0)"})`;
  for (const rows of stage.rows(where))
    for (const row of rows)
      reportLeft({ card: stage.card(row.number), id: row.id, why: whyOf(row) }, tally, context, row.kind);
}

function whyOf({ kind, id, why }: StagedCard): string {
  if (why === "trashed") return `it is in the trash: deckhand cards restore ${id}`;
  if (why === "archived") return `it is archived: deckhand cards unarchive ${id}`;
  if (why === "several") return "several cards have the same front";
  return kind === "changed" ? "it changed in the file" : "it is different in the collection";
}

function reportLeft({ card, id, why }: Left, tally: Tally, context: Context, kind?: MatchKind): void {
  tally.left++;
  if (kind === "changed") tally.changed = true;
  else if (id !== null) tally.replaceable = true;
  // Anki's notes are named by their texts already.
  const name = card.place.endsWith('")') ? "" : `, ${JSON.stringify(cut(beginningOf(card), 40))}`;
  context.io.note(visible(`left: ${card.place}${name}${id === null ? "" : ` (${id})`}: ${why}`));
}

function throwIfPartial({ failed, passing, left, changed, replaceable }: Tally, { mode }: Prepared): void {
  if (failed > 0)
    throw new PartialError(`${count(failed, "item")} failed`, {
      // What the service refuses, it refuses again.
      hint: passing > 0 ? "Run it again to try them once more." : undefined,
    });
  if (left === 0) return;
  const hints = [
    changed ? "--update changes those that only the file changed." : "",
    replaceable && !mode.overwrite
      ? "--overwrite takes what the file says for those that are listed with an id."
      : "",
  ].filter((hint) => hint !== "");
  throw new PartialError(
    `${count(left, "card")} left as ${left === 1 ? "it is" : "they are"} in the collection`,
    {
      hint: hints.length === 0 ? undefined : hints.join(" "),
    },
  );
}

/** @param id of the import, for its undo */
async function report(
  summary: ImportSummary & { readonly left: number },
  id: string | undefined,
  context: Context,
): Promise<void> {
  if (context.print.json) return context.print.value({ ...summary, ...(id === undefined ? {} : { id }) });
  // Off a terminal, too: an import prints no ids.
  context.io.note(resultSentence(summary));
  if (id !== undefined) context.io.note(`To take the import back: deckhand import undo ${id}`);
}

/** Errors that may be over the next time: running the import again is then better advice than that of the request. */
const passing: ReadonlySet<string> = new Set([
  "network",
  "timeout",
  "bad-response",
  "server",
  "rate-limited",
]);

function withHint(error: unknown): unknown {
  if (!(error instanceof DeckhandError)) return error;
  if (!passing.has(error.code) && (error.hint !== undefined || error.code === "usage")) return error;
  const cause = isFull(error) ? "Free space on its disk" : passing.has(error.code) ? "" : "Correct that";
  const hint = cause === "" ? "Run it again to continue." : `${cause}, and run it again to continue.`;
  return error.with({ hint });
}
