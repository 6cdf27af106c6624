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
  /** How long a wrong key waits for its answer, in milliseconds. */
  readonly keyDelay: number;
}

/** The study page over this service. */
export async function openStudyPage(
  { service, keys, pipeline, keyDelay }: StudyParts,
  settings: StudySettings,
): Promise<Study> {
  const { keyAccess, openStudy } = await import("../study/index.ts");
  const { store, now } = service;
  let secret: Promise<string> | undefined;
  const sessions = {
    now,
    delay: keyDelay,
    secret() {
      secret ??= keys.sessionSecret();
      secret.catch(() => {
        secret = undefined;
      });
      return secret;
    },
    find: (key: string) => keys.find(key),
    accountOf: (hash: string, begun: number) => keys.accountOfSession(hash, begun),
  };
  return openStudy({
    access: keyAccess(sessions),
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
