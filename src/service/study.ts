import { Study, type StudyOptions } from "../study/index.ts";
import type { Pipeline } from "./pipeline.ts";
import type { Service } from "./route.ts";
import { schedulerOf } from "./routes/schedule.ts";
import { askedToday } from "./routes/today.ts";

export type StudySettings = Omit<StudyOptions, "service">;

/** The study page over this service. */
export function openStudyPage(service: Service, pipeline: Pipeline, settings: StudySettings): Study {
  const { store, now } = service;
  return new Study({
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
