import { createClient } from "../../client/index.ts";
import type { Context } from "../../context/context.ts";
import { DeckhandError, PartialError, UsageError } from "../../errors.ts";
import { count } from "../../output/words.ts";
import { type LogLine, openLog } from "../../review/session/log.ts";
import { Outbox, openTasks } from "../../review/session/outbox.ts";
import { command, declare } from "../shared/command.ts";
import { type LoggedDocument, loggedDocument, logListing } from "./log.ts";
import { recorderOf } from "./recording.ts";
import { logPath, wholeHistory } from "./review-log.ts";

const declared = () =>
  declare(`Send the answers that the service does not have yet, and say what is left and why.

  deckhand due sync
  deckhand due sync -o json`);

/** Sends what is pending and withdraws what was undone, one after the other; prints the answers that were sent. */
export const syncCommand = command(declared, async (_options, context) => {
  if (context.options.dryRun)
    throw new UsageError("syncing cannot be a dry run", {
      hint: "`deckhand due log` shows what is pending.",
    });
  const history = await wholeHistory(context);
  const tasks = openTasks(history, true);
  if (tasks.length === 0) {
    context.io.note("No answers are waiting to be sent.");
    return printAll([], context);
  }
  const { service } = await context.client();
  if (!(await service.has("reviews"))) {
    context.io.note(
      `This service cannot record reviews: ${answers(tasks.length)} in the log on this machine.`,
    );
    return;
  }
  const byId = new Map(tasks.map(({ line }) => [line.id, line]));
  const sent: LoggedDocument[] = [];
  const log = openLog(logPath(context));
  const note = (line: LogLine) => {
    log.note(line);
    const answer = line.type === "sent" ? byId.get(line.id) : undefined;
    if (answer !== undefined) sent.push(loggedDocument(answer, "sent"));
  };
  const http = await context.http();
  // A service that fails at one review may fail at all: the others are tried once each.
  const client = createClient({
    ...http,
    call: (operation, input) =>
      http.call(operation, outbox.status().failing === undefined ? input : { ...input, retries: 0 }),
  });
  const outbox: Outbox = new Outbox(tasks, {
    recorder: recorderOf(client),
    note,
    now: context.clock.now,
  });
  const task = (await context.io.status()).begin({ label: "Sending answers" });
  const status = await outbox.flush(context.signal).finally(task.end);
  outbox.close();
  log.close();
  await printAll(sent, context);
  if (sent.length > 0) context.io.say(`Sent ${count(sent.length, "answer")}`);
  const refusals = status.refused.map(
    ({ line, reason, error }) =>
      new DeckhandError(error?.code ?? "refused", `${line["card-id"]}: ${reason}`, {
        id: line["card-id"],
        status: error?.status,
      }),
  );
  for (const refusal of refusals) context.io.report(refusal);
  const why = status.away ?? status.failing ?? "interrupted";
  if (status.waiting > 0) throw unsent(status.waiting, why, status.error);
  const [reason, ...others] = new Set(refusals.map(({ code }) => code));
  if (reason !== undefined)
    throw new PartialError(`the service refused ${count(refusals.length, "answer")}`, {
      reason: sent.length === 0 && others.length === 0 ? reason : undefined,
    });
});

async function printAll(sent: readonly LoggedDocument[], context: Context): Promise<void> {
  const sink = await context.print.changes(logListing, true);
  await sink.write(sent.map((answer) => ({ ...answer })));
  await sink.end();
}

function unsent(waiting: number, reason: string, cause: DeckhandError | undefined): DeckhandError {
  return new DeckhandError(cause?.code ?? "network", `${answers(waiting)} unsent: ${reason}`, {
    hint: "They are kept; run `deckhand due sync` again later.",
    status: cause?.status,
    request: cause?.request,
    cause,
  });
}

const answers = (waiting: number): string =>
  `${count(waiting, "answer")} ${waiting === 1 ? "stays" : "stay"}`;
