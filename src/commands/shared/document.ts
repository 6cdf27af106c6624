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
  const { parse } = await import("yaml");
  try {
    return parse(text);
  } catch (cause) {
    const [reason] = (cause as Error).message.split("\n");
    throw new UsageError(`${name} is not valid YAML: ${reason}`, { cause });
  }
}
