import { randomUUID } from "node:crypto";
import type { Client } from "../../client/index.ts";
import type { Context } from "../../context/context.ts";
import { parseWhen, whenForms } from "../../dates.ts";
import { DeckhandError, UsageError } from "../../errors.ts";
import { type DueChange, openLog } from "../../review/session/log.ts";
import { dayOfDate } from "../../schedule/days.ts";
import type { Card } from "../../schema/index.ts";
import { listings } from "../../schema/resources.ts";
import { command, declare, defined } from "../shared/command.ts";
import { changeEach } from "../shared/items.ts";
import { dayOffset, userDays } from "../shared/time.ts";
import { logPath } from "./review-log.ts";

const ids = "card ids, or - for one id a line on standard input";
const failFast = ["--fail-fast", "stop at the first item that fails"] as const;

const declaredSet = () =>
  declare(`Set when cards are due; their reviews stay.

Only cards that were reviewed have a due date. "deckhand due undo" takes it back.

  deckhand due set x7Rw2kQp tomorrow
  deckhand due list -o id --date +7d | deckhand due set - +7d`)
    .argument("<card...>", `${ids}; then when: ${whenForms}`)
    .usage("[options] <card>... <when>")
    .option(...failFast);

export const setCommand = command(declaredSet, async (words, options, context) => {
  const [cards, text = ""] = [words.slice(0, -1), words.at(-1)];
  const when = parseWhen(text, context.clock.now(), dayOffset(context));
  if (cards.length === 0 || when === undefined)
    throw new UsageError(`the last argument is ${whenForms}, not ${JSON.stringify(text)}`);
  // A day is meant as a computed due date has it: its noon where the user is.
  const instant = when.date === undefined ? when.instant : userDays(context).noonOf(dayOfDate(when.date));
  await changeDue(cards, new Date(instant).toISOString(), options, context);
});

const declaredForget = () =>
  declare(`Make cards new again: their reviews are set aside.

They stay in the log of this machine, and "deckhand due undo" brings them back.

  deckhand due forget x7Rw2kQp
  deckhand cards search is:leech -o id | deckhand due forget -`)
    .argument("<card...>", ids)
    .option(...failFast);

export const forgetCommand = command(declaredForget, (cards, options, context) =>
  changeDue(cards, null, options, context),
);

async function changeDue(
  cards: readonly string[],
  due: string | null,
  options: { readonly failFast?: boolean | undefined },
  context: Context,
): Promise<void> {
  const client = await context.client();
  await refuseWithoutWrites(client);
  const log = openLog(logPath(context));
  try {
    await changeEach(cards, options, context, listings.cards, async (id) => {
      const card = await client.cards.get(id);
      const change = changeOf(card, due, context);
      if (change === undefined) return { id, sentence: `${id} is new already` };
      // Before it is sent: the reviews that are set aside are nowhere else once the answer is lost.
      if (!context.options.dryRun) log.append(change);
      try {
        const document = await client.today.setDue(id, due);
        return { id, document, sentence: await dueSentence(card, due, context) };
      } catch (error) {
        if (error instanceof DeckhandError && isRefusal(error))
          log.append({ type: "undone", id: change.id, at: change.at });
        throw error;
      }
    });
  } finally {
    log.close();
  }
}

/** Whether the service refused a request, and so changed nothing. */
const isRefusal = ({ status = 0 }: DeckhandError): boolean =>
  status >= 400 && status < 500 && status !== 408 && status !== 499;

/** Says for people when a card is due: `"Front" (id) is due tomorrow`. */
export async function dueSentence(
  { id, name }: Pick<Card, "id" | "name">,
  due: string | null,
  context: Context,
): Promise<string> {
  const { relativeDay } = await import("../../output/relative.ts");
  const calendar = { now: context.clock.now(), dayOf: userDays(context).dayOf };
  const shown = name == null ? id : `${JSON.stringify(name)} (${id})`;
  return `${shown} is ${due === null ? "new again" : `due ${relativeDay(due, calendar)}`}`;
}

/** What is noted before anything is sent, so that it can be taken back. @returns undefined for a card that is new already */
function changeOf(card: Card, due: string | null, context: Context): DueChange | undefined {
  const reviews = (card.reviews ?? []).flatMap(({ date, due, "remembered?": remembered, duration }) => {
    const others = defined({ due: due ?? undefined, duration: duration ?? undefined });
    return date == null ? [] : [{ date, "remembered?": remembered ?? false, ...others }];
  });
  const last = reviews.at(-1);
  if (last?.due === undefined) {
    if (due === null) return undefined;
    const name = card.name == null ? "" : ` ${JSON.stringify(card.name)}`;
    const message = `card ${card.id}${name} was never reviewed: it has no due date to set`;
    throw new DeckhandError("refused", message, { id: card.id });
  }
  return {
    type: "due",
    id: randomUUID(),
    "card-id": card.id,
    at: new Date(context.clock.now()).toISOString(),
    due,
    before: due === null ? { reviews } : { due: last.due },
  };
}

/** @throws UsageError for a service that has no way to set a due date */
export async function refuseWithoutWrites(client: Client): Promise<void> {
  if (!(await client.service.has("due-writes")))
    throw new UsageError("this service has no way to set due dates: the API has none", {
      hint: "Its own app may have one.",
    });
}
