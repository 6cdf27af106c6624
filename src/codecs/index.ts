import type { CodecName } from "../schema/index.ts";
import type { Codec } from "./codec.ts";
import { jsonCodec } from "./json.ts";

export { type Codec, CodecError, deepestNesting } from "./codec.ts";
export { codecNameOf, decodeUtf8 } from "./text.ts";

/** The codec of that name. transit-js takes 20 ms to load, so it is loaded when it is first needed. */
export async function loadCodec(name: CodecName): Promise<Codec> {
  if (name === "json") return jsonCodec;
  return (await import("./transit.ts")).transitCodec;
}
