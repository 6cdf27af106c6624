import { randomBytes } from "node:crypto";
import { type HostedAccount, isPrivateWay } from "../../config/account.ts";
import { problemWithKey } from "../../config/credentials.ts";
import { resolveSetting, settings } from "../../config/index.ts";
import { checkNewName } from "../../config/settings.ts";
import type { Context } from "../../context/context.ts";
import { DeckhandError, NotConfiguredError, UsageError } from "../../errors.ts";
import { placeOf } from "../shared/account.ts";
import { command, declare, type OptionsOf } from "../shared/command.ts";
import { readText } from "../shared/text.ts";

const declared = () =>
  declare(`Save an account's address and key as a profile, and make it the default. Both are checked against the service first.

Without --profile the profile is named after the service's host.

  deckhand auth login
  deckhand auth login --profile work --key-stdin < key.txt \\
    --base-url https://flashcards.example.com/api`)
    .option("--key-stdin", "read the key from standard input, instead of asking for it")
    .option("--allow-insecure", "let the key go over plain http to another machine");

type LoginOptions = OptionsOf<typeof declared>;

export const loginCommand = command(declared, async (options, context) => {
  if (!options.keyStdin && !context.io.interactive)
    throw new UsageError("cannot ask for the key without a terminal", {
      hint: "Give it on standard input with --key-stdin.",
    });
  const given = resolveSetting("profile", context.sources(), undefined);
  const chosen = given.origin === "config" ? undefined : given.value;
  const baseUrl = await baseUrlFrom(chosen, options, context);
  const name = chosen ?? profileName(baseUrl);
  checkNewName(name);
  const key = await keyFrom(options, context);
  const insecure = resolveSetting("allow-insecure", context.sources(), name).value;
  if (!(await checkAccount(baseUrl, key, options.allowInsecure ?? insecure, context))) return;
  const { saveProfile, storeSetting } = await import("../../config/profiles.ts");
  const place = placeOf(context);
  const { codec } = context.options;
  // The id names the profile's review log, also when the profile is later given another address.
  await saveProfile(place, { name, baseUrl, codec, key, id: randomBytes(8).toString("hex") });
  if (options.allowInsecure) await storeSetting(place, "allow-insecure", "true", name);
  context.io.note(`Logged in to ${baseUrl}; the profile ${name} is now the default`);
});

/** From the option or the environment, else what the profile has already, else asked for. */
async function baseUrlFrom(profile: string | undefined, options: LoginOptions, context: Context) {
  const known = resolveSetting("base-url", context.sources(), profile).value;
  if (known !== undefined) return known;
  // Standard input holds the key: it cannot be asked, too.
  if (options.keyStdin || !context.io.interactive)
    throw new UsageError("where is the service? Give --base-url");
  const scheme = "https://";
  const text = await context.io.ask("Base URL of the service", scheme);
  // The question shows the scheme where the answer goes: who types what comes after it means it.
  const baseUrl = settings["base-url"].parse(text.includes("://") ? text : scheme + text);
  if (baseUrl === undefined) throw new UsageError(`the base URL must be ${settings["base-url"].mustBe}`);
  return baseUrl;
}

async function keyFrom(options: LoginOptions, context: Context): Promise<string> {
  const key = (
    options.keyStdin ? await readText("-", context) : await context.io.askSecret("API key")
  ).trim();
  const problem = problemWithKey(key);
  if (problem !== undefined) throw new UsageError(`that is no key: ${problem}`);
  return key;
}

/** `flashcards.example.com`, or `localhost-8787` where there is a port. */
const profileName = (baseUrl: string) =>
  new URL(baseUrl).host
    .replace(/[^A-Za-z0-9.-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 64);

/**
 * Makes sure that a service answers there and takes the key, before either is saved. Asks for something that every
 * service documents, and that needs the key.
 *
 * @returns false in a dry run, which only prints the request
 */
async function checkAccount(baseUrl: string, key: string, allowInsecure: boolean, context: Context) {
  if (!allowInsecure && !isPrivateWay(baseUrl))
    throw new NotConfiguredError(`a key is not sent over plain http to ${new URL(baseUrl).host}`, {
      hint: "Use https, or allow it with --allow-insecure.",
    });
  const known = { kind: "hosted", profile: undefined, keyOrigin: "environment" } as const;
  const account: HostedAccount = { ...known, baseUrl, key };
  const { connect } = await import("../../context/connect.ts");
  const connection = await connect({ ...context, account: () => account });
  try {
    if (context.options.dryRun) await context.print.request({ method: "GET", path: "/decks", query: "" });
    else await connection.client.decks.list().catch((error) => Promise.reject(unsaved(error)));
  } finally {
    await connection.close();
  }
  return !context.options.dryRun;
}

/** The error with what helps here. */
function unsaved(error: unknown): unknown {
  if (!(error instanceof DeckhandError)) return error;
  const doubt: Partial<Record<string, string>> = {
    unauthorized: "Is it the key of that service?",
    "not-found": "Is the base URL that of the service?",
  };
  const hint = `${doubt[error.code] ?? error.hint ?? ""} Nothing was saved.`.trim();
  return error.with({ hint });
}
