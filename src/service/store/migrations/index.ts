import type { Kysely } from "kysely";
import * as first from "./0001-first.ts";

export interface Migration {
  up(db: Kysely<never>): Promise<void>;
}

/** Every migration by its number. They run in order, in one transaction; one that was released never changes. */
export const migrations: Readonly<Record<number, Migration>> = { 1: first };
