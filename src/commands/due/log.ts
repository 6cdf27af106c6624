import { Command } from "commander";
import type { Context, StartContext } from "../../context/context.ts";
import { parseDate, startOf } from "../../dates.ts";
import { readLog } from "../../review/session/history.ts";
import { dayOffset } from "../shared/days.ts";
import { sayNone } from "../shared/pages.ts";
import { instantFrom } from "../shared/when.ts";
import { loggedDocument, logListing } from "./log-listing.ts";
import { logPath, warnOfDamage } from "./review-log.ts";

interface LogOptions {
  readonly since?: string;
  readonly deck?: string;
}

export function logCommand(start: StartContext): Command {
  return new Command("log")
    .description("Show the answers that were given on this machine with due review, the oldest first.")
    .option("--since <when>", "only from that day or instant on: an ISO date or timestamp, yesterday, -1w")
    .option("-d, --deck <deck>", "only cards of this deck and the decks under it (id, name or path)")
    .addHelpText(
      "after",
      `
Examples:
  deckhand due log --since -1w
  deckhand due log --deck Geography -o csv > answers.csv`,
    )
    .action((options: LogOptions, command: Command) => printLog(options, start(command)));
}

async function printLog(options: LogOptions, context: Context): Promise<void> {
  const since = options.since === undefined ? undefined : beginning(options.since, context);
  const decks = options.deck === undefined ? undefined : await decksUnder(options.deck, context);
  const path = logPath(context);
  const history = await readLog(path);
  warnOfDamage(history, path, context);
  const documents = history.answers.flatMap((answer) => {
    const line = answer.read();
    if (line === undefined || (since !== undefined && Date.parse(line.at) < since)) return [];
    if (decks !== undefined && !decks.has(line["deck-id"])) return [];
    return [loggedDocument(line, answer.status, answer.reason)];
  });
  await context.print.list(logListing, documents);
  if (documents.length === 0) sayNone("No answers found", context);
}

/** The first instant of a day, or the instant that is named. */
function beginning(text: string, context: Context): number {
  const offset = dayOffset(context);
  const date = parseDate(text, context.clock.now(), offset);
  const first = date === undefined ? undefined : startOf(date, offset);
  return first ?? instantFrom(text, "--since", context);
}

async function decksUnder(text: string, context: Context): Promise<ReadonlySet<string>> {
  const names = await context.names();
  const { id } = await names.deck(text, { writing: false });
  return names.subtree(id);
}
