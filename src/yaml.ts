import { parseDocument, visit, YAMLParseError } from "yaml";

/**
 * Reads one YAML document. A number that is not written as we would write it stays text (007, 1.10, 0x1F): where text is
 * wanted it would be another one.
 * @throws YAMLParseError, ReferenceError for aliases without end
 */
export function readYamlDocument(text: string): unknown {
  const document = parseDocument(text, { logLevel: "error", prettyErrors: true });
  const [error] = document.errors;
  if (error !== undefined) throw error;
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === "number" && node.source !== undefined && String(node.value) !== node.source)
        node.value = node.source;
    },
  });
  return document.toJS({ maxAliasCount: 100 });
}

/** What some errors of the parser, by the beginning of their message, mean to someone who wrote a few settings. */
const plainly: readonly (readonly [RegExp, string])[] = [
  [/^Implicit (?:map )?keys/, 'a line without a colon; a setting is written as "name: value"'],
  [/^(?:Missing closing|Flow (?:sequence|map))/, "a quote or a bracket is not closed"],
  [/^Tabs are not allowed/, "a tab at the beginning; lines are indented by spaces"],
  [/^Map keys must be unique/, "the name is there twice"],
  [/^Nested mappings are not allowed/, "a second colon; put the value in quotes"],
];

/** The line of the text at which reading it failed, from 1; undefined where that is not known. */
export function yamlLine(error: unknown): number | undefined {
  return error instanceof YAMLParseError ? error.linePos?.[0].line : undefined;
}

/** What is wrong with it, on one line. */
export function yamlProblem(error: unknown): string {
  if ((error as { code?: unknown }).code === "MULTIPLE_DOCS") return "it holds more than one document";
  const [line = ""] = String(error instanceof Error ? error.message : error).split("\n", 1);
  const plain = plainly.find(([beginning]) => beginning.test(line))?.[1];
  return plain ?? line.replace(/ at line \d+.*$/, "").replace(/:$/, "");
}
