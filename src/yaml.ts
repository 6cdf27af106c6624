import { parseDocument, visit } from "yaml";

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

/** What is wrong with it, on one line. */
export function yamlProblem(error: unknown): string {
  if ((error as { code?: unknown }).code === "MULTIPLE_DOCS") return "it holds more than one document";
  const [line = ""] = String(error instanceof Error ? error.message : error).split("\n", 1);
  return line.replace(/:$/, "");
}
