import { type Codec, CodecError } from "./codec.ts";
import { jsonReader } from "./json-read.ts";
import { jsonForm } from "./json-write.ts";

/** JSON (wire.md, JSON): keywords are strings, sets arrays, instants `{"date": "<ISO>"}`. */
export const jsonCodec: Codec = {
  name: "json",
  encode: (kind, value) => JSON.stringify(jsonForm(kind, value, 1)),
  decode: (kind, text) => {
    const value = parse(text);
    return typeof value === "object" && value !== null ? jsonReader(kind)(value, 1) : value;
  },
};

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CodecError(`not JSON: ${(error as Error).message}`, { cause: error });
  }
}
