import { resolveProfile, resolveSetting, type SettingName, settings } from "../../config/index.ts";
import { storedValue } from "../../config/settings.ts";
import type { Context } from "../../context/context.ts";
import { UsageError } from "../../errors.ts";
import { placeOf } from "../shared/profiles.ts";

/** Keeps a setting in the profile in use, or for all profiles where it is one of those; undefined forgets it. */
export async function keep(name: SettingName, value: string | undefined, context: Context): Promise<void> {
  const holder = settings[name].stored === "global" ? "local" : profileInUse(name, context);
  const [done, would] = value === undefined ? ["Forgot", "forget"] : ["Set", "set"];
  const what = value === undefined ? name : `${name} to ${value}`;
  // A dry run refuses what would be refused, and does not repeat what may be a key.
  if (value !== undefined) storedValue(name, value);
  if (context.options.dryRun) return context.io.note(`Would ${would} ${what}`);
  const { storeSetting } = await import("../../config/profiles.ts");
  await storeSetting(placeOf(context), name, value, holder);
  context.io.say(`${done} ${what}`);
}

/** What comes from the environment alone has no profile that could keep anything; with nothing chosen it is local. */
function profileInUse(name: SettingName, context: Context): string {
  // Not all settings: one that is wrong must not keep its own correction out.
  const profile = resolveProfile(context.sources()).value;
  if (profile !== undefined) return profile;
  if (resolveSetting("base-url", context.sources(), undefined).value !== undefined)
    throw new UsageError(`no profile is in use that could keep ${name}`, {
      hint: "Name one with --profile.",
    });
  return "local";
}
