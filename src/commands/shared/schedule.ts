import { rmSync } from "node:fs";
import { join } from "node:path";
import { accountHash } from "../../config/account-hash.ts";
import type { Context } from "../../context/context.ts";
import { replaceFile } from "../../files/atomic-write.ts";
import { readCache } from "../../files/cache.ts";
import type { Scheduler } from "../../schedule/index.ts";
import { userDays } from "./time.ts";

/** Trained parameters of an account (docs/design/stats.md, Training). */
export interface Trained {
  /** The 21 parameters of FSRS-6. */
  readonly w: readonly number[];
  readonly "trained-at": string;
  readonly reviews: number;
  readonly "log-loss": number;
  /** Of FSRS. */
  readonly version: 6;
}

/** Where the parameters of an account are kept whose service cannot keep them. */
const trainedPath = (context: Context): string =>
  join(context.folders.state, `schedule-${accountHash(context.account())}.json`);

/** The parameters in use: the service's, or those kept on this machine; undefined for the defaults of FSRS. */
export async function trainedParameters(context: Context): Promise<Trained | undefined> {
  const client = await context.client();
  if (!(await client.service.has("schedule"))) {
    const kept = readCache(trainedPath(context)) as Partial<Trained> | undefined;
    return kept?.version === 6 && kept.w?.length === 21 ? (kept as Trained) : undefined;
  }
  const { w, "trained-at": at, reviews, "log-loss": logLoss } = await client.schedule.get();
  if (at == null || w == null) return undefined;
  return {
    w: w.flatMap((each) => (each === null ? [] : [each])),
    "trained-at": at,
    reviews: reviews ?? 0,
    "log-loss": logLoss ?? 0,
    version: 6,
  };
}

export async function parametersInUse(context: Context): Promise<readonly number[]> {
  const { default_w } = await import("ts-fsrs");
  return (await trainedParameters(context))?.w ?? default_w;
}

/** The user's schedule: days and retention of the settings, and the parameters that were trained for the account. */
export async function schedulerFor(context: Context): Promise<Scheduler> {
  const { Scheduler } = await import("../../schedule/index.ts");
  const parameters = (await trainedParameters(context))?.w;
  const retention = context.settings()["review.retention"].value;
  // Where the service records reviews it chooses the days.
  const fuzz = !(await (await context.client()).service.has("reviews"));
  return new Scheduler({ days: userDays(context), retention, parameters, fuzz });
}

/** @returns how many cards got another due date */
export async function storeParameters(
  trained: Trained,
  reschedule: boolean,
  context: Context,
): Promise<number> {
  const client = await context.client();
  if (await client.service.has("schedule")) {
    const { version: _, ...body } = trained;
    return (await client.schedule.put({ ...body, reschedule })).moved ?? 0;
  }
  replaceFile(trainedPath(context), `${JSON.stringify(trained)}\n`, { synced: true });
  return 0;
}

export async function resetParameters(context: Context): Promise<void> {
  const client = await context.client();
  if (await client.service.has("schedule")) await client.schedule.delete();
  else rmSync(trainedPath(context), { force: true });
}
