import { resolveSetting } from "../../config/index.ts";
import type { Place } from "../../config/profiles.ts";
import type { Context } from "../../context/context.ts";

/** Where settings and keys are written. */
export const placeOf = (context: Context): Place => ({
  folder: context.folders.config,
  platform: context.world.platform,
});

/** The profile that is chosen, undefined if none is. */
export const chosenProfile = (context: Context): string | undefined =>
  resolveSetting("profile", context.sources(), undefined).value;
