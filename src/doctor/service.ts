import { shownValue } from "../commands/config.ts";
import { settingNames } from "../config/index.ts";
import type { Context } from "../context/context.ts";
import { DeckhandError } from "../errors.ts";
import { type Finding, fine, wrong } from "./places.ts";

/** How far apart the clocks may be: due dates and lock times rely on it. */
const tolerance = 5 * 60_000;

/** The settings with where each came from, and the account that they make. */
export function* accountFindings(context: Context): Generator<Finding> {
  try {
    const settings = context.settings();
    for (const name of settingNames) {
      const { value, origin } = settings[name];
      if (origin !== "default") yield fine(name, `${shownValue(name, value)} (${origin})`);
    }
    const { configProblem, credentials } = context.sources();
    if (configProblem !== undefined) yield wrong("settings", configProblem);
    const { problem } = credentials();
    if (problem !== undefined) yield wrong("credentials", problem);
    const account = context.account();
    yield fine(
      "account",
      account.kind === "local"
        ? `the local collection${account.chosen ? "" : ", since nothing is configured"}`
        : `${account.baseUrl}, key from ${account.keyOrigin}`,
    );
  } catch (error) {
    yield wrong("account", messageOf(error));
  }
}

/** Whether the service answers, how quickly, what it can do, and what time it thinks it is. */
export async function* serviceFindings(context: Context): AsyncGenerator<Finding> {
  try {
    context.account();
  } catch {
    return;
  }
  try {
    const http = await context.http();
    const begun = performance.now();
    const answer = await http.raw({ method: "GET", path: "/decks" });
    const ms = Math.round(performance.now() - begun);
    if (answer.error !== undefined) throw answer.error;
    yield fine("service", `answers in ${ms} ms`);
    yield* clockFindings(answer.headers["date"], context);
    const { extensions } = await (await context.client()).service.describe(true);
    yield fine("extensions", extensions.length === 0 ? "none" : extensions.join(", "));
  } catch (error) {
    yield wrong("service", messageOf(error));
  }
}

function* clockFindings(date: string | undefined, context: Context): Generator<Finding> {
  const theirs = date === undefined ? Number.NaN : Date.parse(date);
  if (Number.isNaN(theirs)) return;
  const seconds = Math.round((theirs - context.clock.now()) / 1000);
  const detail =
    Math.abs(seconds) <= 1
      ? "the same as here"
      : `${Math.abs(seconds)} s ${seconds > 0 ? "ahead" : "behind"}`;
  yield Math.abs(seconds) * 1000 > tolerance ? wrong("service clock", detail) : fine("service clock", detail);
}

function messageOf(error: unknown): string {
  if (error instanceof DeckhandError) return error.inFull;
  throw error;
}
