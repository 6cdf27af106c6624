import { limits } from "../limits.ts";
import { at, broken } from "../place.ts";

/** A JSON value at the top of a text, or an item of the array that the text is. */
export interface JsonValue {
  readonly value: unknown;
  /** The line it begins on, from 1. */
  readonly line: number;
  /** Which of the values it is that begin on that line, from 1. */
  readonly nth: number;
  readonly text: string;
}

/** Strings, brackets, commas, other words and blanks; a string ends on its line. */
const tokens = /"(?:[^"\\]|\\.)*"|["[\]{},]|[^\s"[\]{},]+|\s+/g;

/**
 * The values of newline-delimited JSON, or of one JSON array, each as soon as it is read; a value may span lines. In
 * memory is never more than one of them, and the line that it ends on.
 *
 * @throws UsageError where what follows can't be understood any more, and for a value over the limit.
 */
export async function* jsonValues(
  pieces: AsyncIterable<string> | Iterable<string>,
  name: string,
  limit: number = limits.itemLength,
): AsyncGenerator<JsonValue> {
  const wrong = (line: number, problem: string) => broken(at(name, line), problem);
  let [line, begin, nth, depth, text] = [0, 1, 0, 0, ""];
  /** Whether the text is one array: undefined until its first character. */
  let array: "open" | "closed" | "none" | undefined;
  let after: "begin" | "value" | "comma" = "begin";
  for await (const each of linesOf(pieces)) {
    line++;
    for (const [token] of each.matchAll(tokens)) {
      // Otherwise one forgotten quote would take everything after it along.
      if (token === '"') throw wrong(line, "a string is not closed");
      if (depth === 0) {
        if (token.trim() === "") continue;
        if (array === undefined) {
          array = token === "[" ? "open" : "none";
          if (array === "open") continue;
        }
        if (array === "closed") throw wrong(line, "there is text after the end of the array");
        if (array === "none" && /^[\]}]/.test(token))
          throw wrong(line, "not valid JSON: a bracket is closed that was never opened");
        if (array === "open" && token === "]" && after !== "comma") array = "closed";
        else if (array === "open" && token === "," && after === "value") after = "comma";
        else if (array === "open" && (after === "value" || /^[\],]/.test(token)))
          throw wrong(line, "the array is not valid JSON here");
        else {
          [nth, begin] = [begin === line ? nth + 1 : 1, line];
          [text, after] = [token, "value"];
          if (/^[[{]/.test(token)) depth = 1;
          else yield { value: parsed(text, begin), line, nth, text };
        }
        continue;
      }
      text += token;
      if (text.length > limit)
        throw wrong(begin, `a value has more than ${Math.floor(limit / 1024 / 1024)} MiB`);
      depth += /^[[{]/.test(token) ? 1 : /^[\]}]/.test(token) ? -1 : 0;
      if (depth === 0) yield { value: parsed(text, begin), line: begin, nth, text };
    }
    if (depth > 0) text += "\n";
  }
  if (depth > 0) throw wrong(begin, "the text ends in the middle of a value");
  if (array === "open") throw wrong(line, "the array is not closed");

  function parsed(json: string, from: number): unknown {
    try {
      return JSON.parse(json);
    } catch (error) {
      throw wrong(from, `not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

/** The lines of a text that comes in pieces, without their ends. */
async function* linesOf(pieces: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of pieces) {
    const parts = (rest + piece).split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts) yield line.replace(/\r$/, "");
  }
  yield rest.replace(/\r$/, "");
}
