import { UsageError } from "../../errors.ts";

/** Reads JSON, or YAML, of which JSON is a part but for its better error messages. @throws UsageError */
export async function parseDocument(text: string, path: string): Promise<unknown> {
  const name = path === "-" ? "standard input" : path;
  if (/\.json$/i.test(path) || /^\uFEFF?\s*[{[]/.test(text)) {
    try {
      return JSON.parse(text.replace(/^\uFEFF/, ""));
    } catch (cause) {
      if (/\.json$/i.test(path))
        throw new UsageError(`${name} is not valid JSON: ${(cause as Error).message}`, { cause });
    }
  }
  return parseYaml(text, `${name} is`);
}

/**
 * Reads one YAML document.
 * @param what it is, with its verb: `card.yaml is`
 * @param firstLine the line of the file on which the text begins
 * @throws UsageError
 */
export async function parseYaml(text: string, what: string, firstLine = 1): Promise<unknown> {
  const { readYamlDocument, yamlLine, yamlProblem } = await import("../../yaml.ts");
  try {
    return readYamlDocument(text);
  } catch (cause) {
    const line = yamlLine(cause);
    const where = line === undefined ? "" : `line ${firstLine + line - 1}: `;
    throw new UsageError(`${what} not valid YAML: ${where}${yamlProblem(cause)}`, { cause });
  }
}
