import { fileProblem, isFileError } from "../../files/errors.ts";
import { type Line, type LineOptions, LineTooLong, readLines } from "../../files/lines.ts";
import { limits } from "../limits.ts";
import { at, broken } from "../place.ts";

export type ByteLine = Line;

/**
 * The lines of a source, of at most twice what an item may have.
 *
 * @param name of the file, as it is named in errors
 * @throws UsageError for a file that cannot be read, and for a line over the limit
 */
export async function* byteLines(
  path: string,
  name: string,
  options: LineOptions = {},
): AsyncGenerator<Line> {
  try {
    yield* readLines(path, { longest: 2 * limits.itemLength, ...options });
  } catch (error) {
    if (error instanceof LineTooLong) throw broken(at(name, error.line), "the line is too long");
    throw isFileError(error) ? broken(name, fileProblem(error), undefined, error) : error;
  }
}
