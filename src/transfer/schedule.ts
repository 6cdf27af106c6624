import type { Client } from "../client/index.ts";
import { isMap, type ScheduleDocument, type SchedulePut } from "../schema/index.ts";
import type { Skip } from "./model.ts";

/** The trained parameters of an account travel with its whole collection. */

/** Under which archives of the apps have them. */
export const scheduleKey = "deckhand/schedule";

/** The parameters of an account, where its service keeps some that were trained. */
export async function trainedSchedule(client: Client): Promise<SchedulePut | undefined> {
  if (!(await client.service.has("schedule"))) return undefined;
  const schedule = await client.schedule.get().send();
  return schedule["trained-at"] == null ? undefined : readSchedule(schedule);
}

/** What a source says of the parameters; undefined for anything that is not 21 numbers and a date. */
export function readSchedule(value: unknown): SchedulePut | undefined {
  if (!isMap(value)) return undefined;
  const { w, "trained-at": trainedAt, reviews, "log-loss": logLoss } = value as ScheduleDocument;
  const numbers = Array.isArray(w) ? w.filter((each) => Number.isFinite(each)) : [];
  if (numbers.length !== 21 || typeof trainedAt !== "string" || Number.isNaN(Date.parse(trainedAt)))
    return undefined;
  return {
    w: numbers as number[],
    "trained-at": trainedAt,
    ...(typeof reviews === "number" ? { reviews } : {}),
    ...(typeof logLoss === "number" ? { "log-loss": logLoss } : {}),
  };
}

/** Gives an account the parameters of a source, unless it has trained ones of its own. Due dates stay. */
export async function adoptSchedule(schedule: SchedulePut, client: Client, skip: Skip): Promise<void> {
  const leave = (why: string) => skip({ place: "schedule", what: "trained parameters", why });
  if (!(await client.service.has("schedule"))) return leave("the service cannot keep them");
  const current = await client.schedule.get().send();
  if (current["trained-at"] != null) return leave("the collection has its own");
  await client.schedule.put(schedule).send();
}
