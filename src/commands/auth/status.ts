import type { Account, Origin } from "../../config/index.ts";
import type { Context } from "../../context/context.ts";
import { DeckhandError } from "../../errors.ts";
import { array, boolean, object, string } from "../../schema/kinds.ts";
import type { Listing } from "../../schema/resources.ts";
import { command, declare } from "../shared/command.ts";

const status: Listing = {
  name: "status",
  kind: object({
    profile: string(),
    "profile-from": string(),
    "base-url": string(),
    "base-url-from": string(),
    codec: string(),
    "codec-from": string(),
    key: string(),
    "key-from": string(),
    "answers?": boolean(),
    problem: string(),
    extensions: array(string()),
  }),
  columns: ["profile", "base-url", "codec", "key", "answers?"],
};

const declared = () =>
  declare(`Show the account in use, where each setting comes from, and whether the service answers.

Examples:
  deckhand auth status
  deckhand auth status --profile local -o json`);

export const statusCommand = command(declared, (_options, context) => showStatus(context));

/** Prints the status also where the service does not answer; the exit code is then that failure's. */
async function showStatus(context: Context): Promise<void> {
  const account = context.account();
  const settings = context.settings();
  const problem = await problemWithService(context);
  const extensions =
    problem === undefined ? (await (await context.client()).service.describe(true)).extensions : [];
  const document = {
    profile: account.profile ?? null,
    "profile-from": settings.profile.origin,
    "base-url": account.kind === "hosted" ? account.baseUrl : null,
    "base-url-from": account.kind === "hosted" ? settings["base-url"].origin : null,
    codec: settings.codec.value,
    "codec-from": settings.codec.origin,
    ...keyOf(account),
    "answers?": problem === undefined,
    ...(problem === undefined ? { extensions } : { problem: problem.message }),
  };
  await context.print.documents(status, [document], false);
  if (problem !== undefined) throw problem.code === "unauthorized" ? refusedKey(problem, account) : problem;
}

/** The error with what helps here: that this very command tells more is what other commands say. */
function refusedKey(error: DeckhandError, account: Account): DeckhandError {
  const saved = account.kind === "hosted" && account.keyOrigin === "credentials";
  const hint = saved
    ? `Save another key with: deckhand auth login --profile ${account.profile}`
    : "Set DECKHAND_API_KEY to another key.";
  return error.with({ hint });
}

/** Asks for something that every service documents, and that needs the key. */
async function problemWithService(context: Context): Promise<DeckhandError | undefined> {
  try {
    await (await context.client()).decks.list().send();
    return undefined;
  } catch (error) {
    if (error instanceof DeckhandError) return error;
    throw error;
  }
}

/** The last four characters tell keys apart; of a short key they would tell too much. */
function keyOf(account: Account): { key: string | null; "key-from": Origin | "credentials" | null } {
  if (account.kind === "local") return { key: null, "key-from": null };
  const shown = account.key.length >= 12 ? account.key.slice(-4) : "";
  return { key: `…${shown}`, "key-from": account.keyOrigin };
}
