import type { Study, StudyOptions } from "../study/index.ts";
import type { Keys } from "./auth.ts";
import type { Pipeline } from "./pipeline.ts";
import type { Service } from "./route.ts";
import { schedulerOf } from "./routes/schedule.ts";
import { askedToday } from "./routes/today.ts";

/** What differs where only one person uses the page; without `access` people sign in with keys. */
export type StudySettings = Partial<Omit<StudyOptions, "service">>;

interface StudyParts {
  readonly service: Service;
  readonly keys: Keys;
  readonly pipeline: Pipeline;
}

/** The study page over this service. */
export async function openStudyPage(
  { service, keys, pipeline }: StudyParts,
  settings: StudySettings,
): Promise<Study> {
  const { Study } = await import("../study/index.ts");
  const { store, now } = service;
  return Study.open({
    access: keys,
    ...settings,
    service: {
      now,
      onError: (error) => service.onError(error),
      send: (account, request) => pipeline.carryOut(account, request),
      asked: (account, query) => askedToday(account, query, service),
      days: (account) => store.read((db) => service.daysOf(db, account)),
      scheduler: (account) => store.read((db) => schedulerOf(db, account, undefined, service)),
    },
  });
}
