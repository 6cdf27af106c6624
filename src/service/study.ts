import { createHmac, timingSafeEqual } from "node:crypto";
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
  const { openStudy } = await import("../study/index.ts");
  const { service, pipeline } = parts;
  const { store, now } = service;
  return openStudy({
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

/**
 * Sessions of people with a key. A session names the hash of its key and when it began, signed: it ends with its key, with
 * `serve key revoke`, and with its cookie's time, and no table has to keep it.
 */
function keyAccess({ keys, service: { now }, keyDelay }: StudyParts): Access {
  const signature = async (text: string) =>
    createHmac("sha256", await keys.sessionSecret())
      .update(text)
      .digest();
  return {
    async accountOf(session, longest) {
      const [begun = "", hash = "", signed = "", ...more] = session.split(".");
      const [given, right] = [Buffer.from(signed, "base64url"), await signature(`${begun}.${hash}`)];
      const isOurs = more.length === 0 && given.length === right.length && timingSafeEqual(given, right);
      if (!isOurs || now() - Number(begun) > longest * 1000) return undefined;
      return keys.accountOfSession(hash, Number(begun));
    },
    async login(key, name) {
      const found = await keys.find(key);
      if (found === undefined || (name !== "" && name !== found.account)) {
        await new Promise((resolve) => setTimeout(resolve, keyDelay));
        return undefined;
      }
      const text = `${now()}.${found.hash}`;
      return `${text}.${(await signature(text)).toString("base64url")}`;
    },
  };
}
