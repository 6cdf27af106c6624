import { createReadStream } from "node:fs";
import { addAbortSignal, PassThrough, pipeline } from "node:stream";
import type { Context } from "../../context/context.ts";
import { UsageError } from "../../errors.ts";
import { fileProblem } from "../../files/errors.ts";

/** Reads a text file, or standard input for `-`, as strict UTF-8. */
export async function readText(path: string, context: Context): Promise<string> {
  let text = "";
  for await (const piece of textPieces(path, context)) text += piece;
  return text;
}

/** The text of a file, or of standard input for `-`, piece by piece, as strict UTF-8. */
export async function* textPieces(path: string, context: Context): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    for await (const chunk of bytesOf(path, context)) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } catch (cause) {
    if ((cause as { code?: unknown }).code === "ERR_ENCODING_INVALID_ENCODED_DATA")
      throw new UsageError(`${path === "-" ? "standard input" : path} is not UTF-8 text`, { cause });
    throw cause;
  }
}

/**
 * The bytes of standard input. Whoever writes it may take for ever: an interruption ends the wait.
 *
 * @throws what the command was interrupted with
 */
export async function* standardInput(context: Context): AsyncGenerator<Uint8Array> {
  const input: AsyncIterable<Uint8Array | string> = addAbortSignal(context.signal, context.io.stdin);
  try {
    for await (const chunk of input) yield typeof chunk === "string" ? Buffer.from(chunk) : chunk;
  } catch (error) {
    context.signal.throwIfAborted();
    throw error;
  }
}

const bytesOf = (path: string, context: Context) =>
  path === "-" ? standardInput(context) : fileBytes(path, context);

/** The file may be a pipe that nobody writes to: what waits for it is not the stream that is given up. */
async function* fileBytes(path: string, { signal }: Context): AsyncGenerator<Uint8Array> {
  const bytes = new PassThrough({ signal });
  pipeline(createReadStream(path), bytes, () => {});
  try {
    yield* bytes;
  } catch (cause) {
    signal.throwIfAborted();
    throw fileError(path, cause);
  }
}

export function fileError(path: string, cause: unknown): UsageError {
  return new UsageError(`could not read ${path}: ${fileProblem(cause)}`, { cause });
}

/** Reads JSON, or YAML, of which JSON is a part but for its better error messages. @throws UsageError */
export async function parseDocument(text: string, path: string): Promise<unknown> {
  const name = path === "-" ? "standard input" : path;
  if (!/^\uFEFF?\s*[{[]/.test(text)) return parseYaml(text, `${name} is`);
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (cause) {
    throw new UsageError(`${name} is not valid JSON: ${(cause as Error).message}`, { cause });
  }
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
