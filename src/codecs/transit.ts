import { type Codec, wrapped } from "./codec.ts";
import { toDomain } from "./domain.ts";
import { parseJson } from "./text.ts";
import { readTransit } from "./transit-read.ts";
import { writeTransit } from "./transit-write.ts";

/** transit+json (docs/design/wire.md): written in the documented verbose form, read in either. */
export const transitCodec: Codec = {
  name: "transit",
  encode: (kind, value) => wrapped("cannot be written as transit", () => writeTransit(kind, value)),
  decode(kind, text) {
    const tree = parseJson(text);
    return toDomain(
      kind,
      wrapped("not transit", () => readTransit(tree)),
    );
  },
};
