import { readFile } from "node:fs/promises";
import type { Context } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import { fileProblem } from "../../file-errors.ts";

/** Reads a text file, or standard input for `-`, as strict UTF-8. */
export async function readText(path: string, context: Context): Promise<string> {
  const bytes = path === "-" ? await readAll(context.stdin) : await readBytes(path);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new UsageError(`${path === "-" ? "standard input" : path} is not UTF-8 text`, { cause });
  }
}

async function readBytes(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw fileError(path, cause);
  }
}

async function readAll(stream: AsyncIterable<Uint8Array | string>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  return Buffer.concat(chunks);
}

/** A file that cannot be read, told in words. */
export function fileError(path: string, cause: unknown): UsageError {
  return new UsageError(`could not read ${path}: ${fileProblem(cause)}`, { cause });
}
