import { formatDuration } from "../../config/duration.ts";
import { isSettingName, type SettingName, settingNames } from "../../config/settings.ts";
import { UsageError } from "../../errors.ts";
import { nearest } from "../../nearest.ts";
import { formatStart } from "../../schedule/days.ts";

/** @throws UsageError that names the settings there are */
export function settingName(text: string): SettingName {
  if (isSettingName(text)) return text;
  const near = nearest(text, settingNames);
  throw new UsageError(`there is no setting ${JSON.stringify(text)}`, {
    hint: near ? `did you mean "${near}"?` : `The settings are: ${settingNames.join(", ")}`,
  });
}

/** A setting's value as it is typed; undefined if it has none. */
export function shownValue(name: SettingName, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (name.endsWith("timeout")) return formatDuration(value as number);
  return name === "review.day-starts-at" ? formatStart(value as number) : String(value);
}
