import type { Context } from "../../context/context.ts";
import { UsageError } from "../../errors.ts";
import { count } from "../../output/words.ts";
import type { ScheduleDocument } from "../../schema/index.ts";
import { command, declare } from "../shared/command.ts";

const declared = () =>
  declare(`Compute due dates again, by the retention and the parameters that are set now.

Changing either moves nothing that is due already. First says how many cards move, and by how much.

Examples:
  deckhand schedule apply Geography --dry-run
  deckhand schedule apply`).argument("[deck]", "only this deck and the decks under it (id, name or path)");

export const applyCommand = command(declared, applySchedule);

async function applySchedule(deck: string | undefined, _options: object, context: Context): Promise<void> {
  const client = await context.client();
  if (!(await client.service.has("schedule")))
    throw new UsageError("this service cannot compute due dates again: the API has no way");
  const body = {
    reschedule: true,
    ...(deck === undefined ? {} : { "deck-id": (await (await context.names()).deck(deck)).id }),
  };
  const preview = await client.schedule.put({ ...body, preview: true }).send();
  context.io.note(movesText(preview));
  if (context.options.dryRun || (preview.moved ?? 0) === 0) return;
  await context.io.confirm("Move these due dates?", "nothing was changed");
  const { moved = 0 } = await client.schedule.put(body).send();
  context.io.say(`Moved ${count(moved ?? 0, "card")}`);
}

/** How many cards a reschedule moves, which way and how far. */
export function movesText({ moved, later, days }: ScheduleDocument): string {
  const [all, back] = [moved ?? 0, later ?? 0];
  if (all === 0) return "No due date changes.";
  const mean = ((days ?? 0) / all).toFixed(1);
  return `${count(all - back, "card")} become due earlier, ${back} later; by ${mean} days on average.`;
}
