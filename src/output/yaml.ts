import { stringify } from "yaml";
import { visible } from "./sanitize.ts";

/** A value as YAML. Control characters are escaped by YAML itself; on a terminal the others that drive it too. */
export function yamlText(value: unknown, isTerminal: boolean): string {
  const text = stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
  return isTerminal ? visible(text) : text;
}
