import { type Profile, profileNames } from "../../config/config-file.ts";
import { changeCredential } from "../../config/credentials.ts";
import { type Account, type Origin, settings } from "../../config/index.ts";
import type { Context } from "../../context/context.ts";
import { DeckhandError, NotConfiguredError, UsageError } from "../../errors.ts";
import { array, boolean, string } from "../../schema/kinds.ts";
import { listingOf } from "../../schema/resources.ts";
import { chosenProfile, placeOf } from "../shared/account.ts";
import { command, declare } from "../shared/command.ts";

const profiles = listingOf("profiles", {
  profile: string(),
  "base-url": string(),
  "key?": boolean(),
  "in-use?": boolean(),
});

const declaredList = () =>
  declare(`List the accounts: the local service, and every profile that was logged in to.

  deckhand auth list
  deckhand auth list -o json`);

export const listCommand = command(declaredList, async (_options, context) => {
  const { config, credentials } = context.sources();
  const { keys } = credentials();
  const used = chosenProfile(context);
  const rows = profileNames(config).map((profile) => ({
    profile,
    "base-url": addressOf(config.profiles[profile]),
    "key?": keys.has(profile),
    "in-use?": profile === used,
  }));
  await context.print.list(profiles, rows);
});

/** The address as it is kept; what was written by hand and is none may hold a key. */
function addressOf(profile: Profile | undefined): string | null {
  const given = profile?.["base-url"];
  return typeof given === "string" ? (settings["base-url"].parse(given) ?? null) : null;
}

const declaredUse = () =>
  declare(`Choose the account to use from now on.

  deckhand auth use local
  deckhand auth use work`).argument("<profile>", "a profile of `deckhand auth list`");

export const useCommand = command(declaredUse, async (profile, _options, context) => {
  if (context.options.dryRun) return context.io.note(`Would make ${profile} the default profile`);
  const { chooseProfile } = await import("../../config/profiles.ts");
  await chooseProfile(placeOf(context), profile);
  context.io.note(`${profile} is now the default profile`);
});

const declaredLogout = () =>
  declare(`Remove an account's saved key. Its settings and its review log stay, for the next login.

  deckhand auth logout
  deckhand auth logout work`).argument("[profile]", "which account; without it the one in use");

export const logoutCommand = command(declaredLogout, async (profile, _options, context) => {
  const name = profile ?? chosenProfile(context);
  if (name === undefined) throw new NotConfiguredError("no account is configured");
  if (name === "local") throw new UsageError("the profile local is the local service: it has no key");
  const { config, credentials } = context.sources();
  const saved = credentials();
  if (saved.problem !== undefined) throw new NotConfiguredError(saved.problem);
  if (!saved.keys.has(name)) {
    if (Object.hasOwn(config.profiles, name))
      return context.io.note(`No key is saved for the profile ${name}`);
    throw new UsageError(`there is no profile ${JSON.stringify(name)}`, {
      hint: "See `deckhand auth list`.",
    });
  }
  if (context.options.dryRun) return context.io.note(`Would remove the key of the profile ${name}`);
  const { folder, platform } = placeOf(context);
  await changeCredential(folder, platform, name, undefined);
  context.io.note(`Removed the key of the profile ${name}`);
});

const status = listingOf(
  "status",
  {
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
  },
  ["profile", "base-url", "codec", "key", "answers?"],
);

const declaredStatus = () =>
  declare(`Show the account in use, where each setting comes from, and whether the service answers.

  deckhand auth status
  deckhand auth status --profile local -o json`);

/** Prints the status also where the service does not answer; the exit code is then that failure's. */
export const statusCommand = command(declaredStatus, async (_options, context) => {
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
});

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
    await (await context.client()).decks.list();
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
