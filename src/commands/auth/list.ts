import type { Profile } from "../../config/config-file.ts";
import { profileNames } from "../../config/config-file.ts";
import { settings } from "../../config/index.ts";
import type { Context } from "../../context/context.ts";
import { boolean, object, string } from "../../schema/kinds.ts";
import type { Listing } from "../../schema/resources.ts";
import { command, declare } from "../shared/command.ts";
import { chosenProfile } from "../shared/profiles.ts";

const profiles: Listing = {
  name: "profiles",
  kind: object({ profile: string(), "base-url": string(), "key?": boolean(), "in-use?": boolean() }),
  columns: ["profile", "base-url", "key?", "in-use?"],
};

const declared = () =>
  declare(`List the accounts: the local service, and every profile that was logged in to.

Examples:
  deckhand auth list
  deckhand auth list -o json`);

export const listCommand = command(declared, (_options, context) => listAccounts(context));

async function listAccounts(context: Context): Promise<void> {
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
}

/** The address as it is kept; what was written by hand and is none may hold a key. */
function addressOf(profile: Profile | undefined): string | null {
  const given = profile?.["base-url"];
  return typeof given === "string" ? (settings["base-url"].parse(given) ?? null) : null;
}
