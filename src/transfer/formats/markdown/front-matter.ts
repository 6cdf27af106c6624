import { stringify } from "yaml";
import { isMap } from "../../../schema/index.ts";
import { readYamlDocument, yamlLine, yamlProblem } from "../../../yaml.ts";
import { at, broken } from "../../place.ts";

interface FrontMatter {
  /** The map between the dashes; undefined where there are none. */
  readonly matter: Readonly<Record<string, unknown>> | undefined;
  readonly content: string;
  /** The line on which the content begins, from 1. */
  readonly line: number;
}

/** YAML that is the same for equal data. */
export const yamlText = (value: unknown): string =>
  stringify(value, { lineWidth: 0, aliasDuplicateObjects: false, version: "1.2" });

/** A file with front matter. One line break at the end is the file's, not the content's. */
export const matterText = (yaml: string, content: string): string => `---\n${yaml}---\n${content}\n`;

/**
 * Writes a map as yamlText does, in a tenth of the time for the short words (ids, positions, tags) of which most front
 * matter is made.
 */
export function yamlMap(map: Readonly<Record<string, unknown>>): string {
  let text = "";
  for (const [key, value] of Object.entries(map)) {
    if (typeof value === "string" && isPlainWord(value) && isPlainWord(key)) text += `${key}: ${value}\n`;
    else text += yamlText({ [key]: value });
  }
  return text;
}

/** Whether YAML takes the text for itself: no number, boolean or null looks like it. */
const isPlainWord = (text: string) =>
  /^[A-Za-z\d][\w-]{0,70}$/.test(text) &&
  /[g-np-wyzG-NP-WYZ]/.test(text) &&
  !/^(?:null|true|false|nan|inf)$/i.test(text);

/** A line of three dashes. Not with the flag m: for that U+2028 ends a line, too, and YAML writes it as it is. */
const closingLine = /(?<![^\n])---[ \t]*(?:\r?\n|$)/;

/** The YAML between the dashes at the top of a text, and what follows it; undefined where there is none. */
export function splitMatter(
  text: string,
): { readonly yaml: string; readonly content: string; readonly line: number } | undefined {
  const begin = /^---[ \t]*\r?\n/.exec(text);
  const end = begin === null ? null : closingLine.exec(text.slice(begin[0].length));
  if (begin === null || end === null) return undefined;
  const yaml = text.slice(begin[0].length, begin[0].length + end.index);
  const rest = text.slice(begin[0].length + end.index + end[0].length);
  return {
    yaml,
    // Below a line break that is LF alone, a CR at the end is the content's.
    content: begin[0].endsWith("\r\n") ? withoutBreak(rest) : rest.replace(/\n$/, ""),
    line: 3 + yaml.split("\n").length - 1,
  };
}

/** @throws UsageError naming the line for YAML that can't be read or is no map. */
export function readMatter(text: string, name: string): FrontMatter {
  const split = splitMatter(text);
  if (split === undefined) return { matter: undefined, content: withoutBreak(text), line: 1 };
  const { yaml, content, line } = split;
  return { matter: readYaml(yaml, name, 2), content, line };
}

/** @param firstLine the line of the file on which the YAML begins */
export function readYaml(yaml: string, name: string, firstLine = 1): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = readYamlDocument(yaml);
  } catch (error) {
    throw broken(at(name, firstLine + (yamlLine(error) ?? 1) - 1), `not valid YAML: ${yamlProblem(error)}`);
  }
  if (value === null || value === undefined) return {};
  if (isMap(value)) return value;
  throw broken(at(name, firstLine), "the YAML is no map");
}

const withoutBreak = (text: string) =>
  text.endsWith("\r\n") ? text.slice(0, -2) : text.endsWith("\n") ? text.slice(0, -1) : text;
