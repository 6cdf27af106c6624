import { stringify } from "yaml";
import { visible } from "./sanitize.ts";

/** A value as YAML, which escapes control characters by itself; `visible` those of C1 and of directions. */
export function yamlText(value: unknown): string {
  return visible(stringify(value, { lineWidth: 0, aliasDuplicateObjects: false }));
}
