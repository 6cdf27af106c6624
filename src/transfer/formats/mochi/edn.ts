import { parseEDNString } from "edn-data";
import { canonicalInstant } from "../../../schema/index.ts";
import { broken } from "../../place.ts";

/**
 * Reads EDN (the text form of Clojure data) into the plain data that the codecs give, too: keywords and symbols are
 * strings, lists, vectors and sets arrays, instants ISO 8601, maps null-prototype objects.
 *
 * @throws UsageError for text that is not EDN, or is cut off
 */
export function readEdn(text: string, place: string): unknown {
  let data: unknown;
  try {
    data = plain(
      parseEDNString(text, {
        mapAs: "doubleArray",
        setAs: "array",
        listAs: "array",
        keywordAs: "string",
        symbolAs: "string",
        charAs: "string",
        tagHandlers: { inst: instantOf },
      }),
    );
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw broken(place, `not valid EDN: ${reason}`, undefined, error);
  }
  // The parser gives nothing for a value that is not complete.
  if (data === null)
    throw broken(place, "not valid EDN: the text ends in the middle of a value, or is empty");
  return data;
}

function instantOf(value: unknown): string {
  const instant = typeof value === "string" ? canonicalInstant(value) : undefined;
  if (instant === undefined) throw new Error(`${String(value)} is not an instant`);
  return instant;
}

/** Maps as objects; the parser's own way to do that takes the square of their size. */
function plain(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  if ("tag" in value && "val" in value) return plain(value.val);
  if (!("map" in value) || !Array.isArray(value.map)) return value;
  const map: Record<string, unknown> = Object.create(null);
  for (const [key, each] of value.map as [unknown, unknown][]) {
    if (typeof key !== "string" && typeof key !== "number")
      throw new Error("a key of a map is not a keyword or text");
    map[String(key)] = plain(each);
  }
  return map;
}
