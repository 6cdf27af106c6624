import { jsonCodec } from "../codecs/json.ts";
import { cutMark, JsonCutter } from "../codecs/json-cutter.ts";
import { parseJson, textOfPieces } from "../codecs/text.ts";
import { isMap, type ObjectKind } from "../schema/index.ts";
import { piecesOf } from "./answer.ts";
import type { Attempt } from "./attempt.ts";
import { TooLargeError } from "./failure.ts";
import type { LongList } from "./settings.ts";

/** In characters: of one item together with all that is not an item. */
const largestPart = 64 * 1024 * 1024;

/**
 * Reads a JSON answer with a long list, item by item: neither its bytes nor its text are ever in memory as a whole.
 *
 * @param list its key in the map that the answer is, and the most bytes of the answer
 * @throws CodecError for what is not JSON; TooLargeError; the error of the stream
 */
export async function readLongList(attempt: Attempt, kind: ObjectKind, list: LongList): Promise<unknown> {
  const { key } = list;
  const of = kind.fields[key];
  if (of?.kind !== "array" || of.of.kind !== "object") throw new Error(`the answer has no list ${key}`);
  const items: unknown[] = [];
  const cutter = new JsonCutter((open) => {
    const [map, within] = open;
    return open.length === 2 && map?.key === key && within?.isList ? true : undefined;
  });
  for await (const piece of textOfPieces(counted(attempt, list))) {
    for (const { text } of cutter.take(piece)) items.push(jsonCodec.decode(of.of, text));
    if (cutter.held > largestPart) throw new TooLargeError(largestPart);
  }
  return joined(kind, key, cutter.rest, items);
}

async function* counted(attempt: Attempt, list: LongList): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of piecesOf(attempt.answer, attempt.limitOf(list), attempt.signal)) {
    bytes += chunk.length;
    attempt.progress(bytes);
    yield chunk;
  }
  attempt.answered(bytes);
}

/** The answer with its items in their places. If the key occurs twice the last list counts, with the last items. */
function joined(kind: ObjectKind, key: string, rest: string, items: readonly unknown[]): unknown {
  const answer = parseJson(rest);
  const places = isMap(answer) ? answer[key] : undefined;
  if (!isMap(answer) || !Array.isArray(places)) return jsonCodec.decode(kind, rest);
  const value = jsonCodec.decode(kind, JSON.stringify({ ...answer, [key]: [] }));
  let next = items.length - places.filter((place) => place === cutMark).length;
  return { ...(value as object), [key]: places.map((place) => (place === cutMark ? items[next++] : place)) };
}
