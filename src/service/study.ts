import type { Study, StudyOptions } from "../study/index.ts";
import type { Access } from "../study/ports.ts";
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
  /** How long a wrong key waits for its answer, in milliseconds. */
  readonly keyDelay: number;
}

/** The study page over this service. */
export async function openStudyPage(parts: StudyParts, settings: StudySettings): Promise<Study> {
  const { Study } = await import("../study/index.ts");
  const { service, pipeline } = parts;
  const { store, now } = service;
  return Study.open({
    access: keyAccess(parts),
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

/** How long the session of a browser lasts, in seconds: 30 days. */
const lasts = 30 * 24 * 60 * 60;

/** Sessions of people with a key. */
function keyAccess({ keys, keyDelay }: StudyParts): Access {
  return {
    lasts,
    accountOf: (session) => keys.accountOfSession(session, lasts * 1000),
    async login(key, name) {
      const session = await keys.beginSession(key, name, lasts * 1000);
      if (session === undefined) await new Promise((resolve) => setTimeout(resolve, keyDelay));
      return session;
    },
    logout: (session) => keys.endSession(session),
  };
}
