import { type Codec, wrapped } from "./codec.ts";
import { toDomain } from "./domain.ts";
import { parseJson } from "./text.ts";
import { readTransit } from "./transit-read.ts";
import { transitForm } from "./transit-write.ts";

/** transit+json (docs/design/wire.md): written in the documented verbose form, read in either. */
export const transitCodec: Codec = {
  name: "transit",
  encode: (kind, value) =>
    wrapped("cannot be written as transit", () => JSON.stringify(transitForm(kind, value, 1))),
  decode: (kind, text, tags) =>
    toDomain(kind, readTransit(parseJson(text), tags === "kept" ? kind : undefined)),
};
