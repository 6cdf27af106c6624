import type { Codec } from "./codec.ts";
import { jsonReader } from "./json-read.ts";
import { jsonForm } from "./json-write.ts";
import { parseJson } from "./plain.ts";

/** JSON (wire.md, JSON): keywords are strings, sets arrays, instants `{"date": "<ISO>"}`. */
export const jsonCodec: Codec = {
  name: "json",
  encode: (kind, value) => JSON.stringify(jsonForm(kind, value, 1)),
  decode: (kind, text) => {
    const value = parseJson(text);
    return typeof value === "object" && value !== null ? jsonReader(kind)(value, 1) : value;
  },
};
