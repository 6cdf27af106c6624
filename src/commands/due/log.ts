import { ifThere } from "../../client/if-there.ts";
import type { Context } from "../../context/context.ts";
import { parseDate, startOf } from "../../dates.ts";
import type { Status } from "../../review/session/history.ts";
import type { AnswerLine } from "../../review/session/log.ts";
import { boolean, instant, keyword, type Listing, number, object, string } from "../../schema/index.ts";
import { command, declare } from "../shared/command.ts";
import { decksNamed, isShown, sayCount, withDeckPaths } from "../shared/lists.ts";
import { dayOffset, instantFrom } from "../shared/time.ts";
import { wholeHistory } from "./review-log.ts";

const declared = () =>
  declare(`Show the answers that were given on this machine with due review, the oldest first.

pass is what was asked: forward, reverse, or a cloze group. duration is in seconds. status says what became of the
review: sent (the service has it), pending, refused or undone; it is empty for an answer that made none, such as a
forgotten card that was asked again.

  deckhand due log --since -1w
  deckhand due log --deck Geography -o csv > answers.csv`)
    .option("--since <when>", "only from that day or instant on: an ISO date or timestamp, yesterday, -1w")
    .option("-d, --deck <deck>", "only cards of this deck and the decks under it (id, name or path)");

export const logCommand = command(declared, async (options, context) => {
  const since = options.since === undefined ? undefined : beginning(options.since, context);
  const decks = await decksNamed(options.deck, true, context);
  const history = await wholeHistory(context);
  const documents = history.answers.flatMap((answer) => {
    const line = answer.read();
    if (line === undefined || (since !== undefined && Date.parse(line.at) < since)) return [];
    if (decks !== undefined && !decks.has(line["deck-id"])) return [];
    return [loggedDocument(line, answer.status, answer.reason)];
  });
  await printAnswers(documents, context);
});

/** On a terminal people see the deck's path, and in the local collection, where it needs no network, the card's name. */
async function printAnswers(documents: readonly LoggedDocument[], context: Context): Promise<void> {
  const isTable = context.print.table && context.options.columns === undefined;
  const isLocal = context.account().kind === "local";
  const named = isShown("name", context) && (isLocal || !isTable);
  const columns = logListing.columns.map((name) => (isTable && named && name === "card-id" ? "name" : name));
  const { listing, complete } = withDeckPaths(
    { ...logListing, columns },
    { id: "deck-id", instead: ["deck-id"] },
    context,
  );
  const client = await context.client();
  const names = new Map<string, string>();
  for (const { "card-id": id } of named ? documents : [])
    if (!names.has(id)) names.set(id, (await ifThere(client.cards.get(id)))?.name ?? id);
  const shown = documents.map((each) => (named ? { ...each, name: names.get(each["card-id"]) } : each));
  await context.print.list(listing, await complete(shown));
  sayCount(documents.length, listing.name, context);
}

/** The first instant of a day, or the instant that is named. */
function beginning(text: string, context: Context): number {
  const offset = dayOffset(context);
  const date = parseDate(text, context.clock.now(), offset);
  const first = date === undefined ? undefined : startOf(date, offset);
  return first ?? instantFrom(text, "--since", context);
}

export type LoggedDocument = ReturnType<typeof loggedDocument>;

export const logListing: Listing = {
  name: "answers",
  kind: object({
    id: string({ about: "Names the answer." }),
    "card-id": keyword({ about: "The card." }),
    "deck-id": keyword({ about: "The deck that it was in." }),
    date: instant({ about: "When it was given." }),
    pass: string({ about: "What was asked: forward, reverse, or a cloze group." }),
    "remembered?": boolean({ essential: true, about: "Whether it was remembered." }),
    duration: number({ about: "Seconds it took." }),
    status: string({
      about: "What became of its review: pending, sent, refused, undone; empty where it made none.",
    }),
    reason: string({ about: "Why the service refused it, or does not have it." }),
    name: string({ about: "The name of the card; it costs a request for each." }),
    deck: string({ about: "The path of the deck; it may cost requests." }),
  }),
  columns: ["date", "card-id", "deck-id", "pass", "remembered?", "duration", "status"],
};

/** An answer of the review log as it is printed. @param reason why the service refused it, or does not have it yet */
export function loggedDocument(line: AnswerLine, status: Status, reason?: string) {
  const { id, "card-id": card, "deck-id": deck, at: date, pass, "remembered?": remembered, duration } = line;
  const document = { id, "card-id": card, "deck-id": deck, date, pass, "remembered?": remembered, duration };
  return { ...document, status, ...(reason === undefined ? {} : { reason }) };
}
