import { type Codec, wrapped } from "./codec.ts";
import { toDomain } from "./domain.ts";
import { parseJson } from "./text.ts";
import { readTransit } from "./transit-read.ts";
import { untagged } from "./transit-tags.ts";
import { encodeTransit } from "./transit-write.ts";

/** transit+json (wire.md): written in the documented verbose form, read in either. */
export const transitCodec: Codec = {
  name: "transit",
  encode: encodeTransit,
  decode: (kind, text, tags) => {
    const parsed = parseJson(text);
    const value = wrapped("not transit", () => readTransit(parsed, tags));
    return toDomain(kind, tags === "kept" ? untagged(kind, value) : value);
  },
};
