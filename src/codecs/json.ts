import { type Codec, wrapped } from "./codec.ts";
import { toDomain } from "./domain.ts";
import { jsonForm } from "./json-write.ts";
import { parseJson } from "./text.ts";

/** JSON (docs/design/wire.md, JSON): keywords are strings, sets arrays, instants `{"date": "<ISO>"}`. */
export const jsonCodec: Codec = {
  name: "json",
  encode: (kind, value) =>
    wrapped("cannot be written as JSON", () => JSON.stringify(jsonForm(kind, value, 1))),
  decode: (kind, text) => toDomain(kind, parseJson(text)),
};
