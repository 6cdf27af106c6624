import { splitMatter, yamlMap } from "../transfer/formats/markdown/front-matter.ts";

/** A file with one key of its front matter set; all else stays as it is. */
export function writeMatterKey(text: string, key: string, value: string): string {
  const split = splitMatter(text);
  if (split === undefined) return `---\n${yamlMap({ [key]: value })}---\n${text}`;
  const begin = text.indexOf("\n") + 1;
  const rest = text.slice(begin + split.yaml.length);
  return text.slice(0, begin) + writeYamlKeys(split.yaml, { [key]: value }) + rest;
}

/** A YAML map with some keys set, or removed where they are undefined; all else stays as it is. */
export function writeYamlKeys(text: string, values: Readonly<Record<string, unknown>>): string {
  let changed = text;
  for (const [key, value] of Object.entries(values)) {
    const line = value === undefined ? "" : yamlMap({ [key]: value });
    const pattern = new RegExp(`^${key}:.*(?:\\n|$)`, "m");
    changed = pattern.test(changed) ? changed.replace(pattern, () => line) : line + changed;
  }
  return changed;
}
