import { isMap, type Kind, Tagged } from "../schema/index.ts";
import { type Codec, wrapped } from "./codec.ts";
import { toDomain } from "./domain.ts";
import { fieldKinds } from "./maps.ts";
import { parseJson } from "./text.ts";
import { readTransit } from "./transit-read.ts";
import { writeTransit } from "./transit-write.ts";

/** transit+json (docs/design/wire.md): written in the documented verbose form, read in either. */
export const transitCodec: Codec = {
  name: "transit",
  encode: (kind, value) => wrapped("cannot be written as transit", () => writeTransit(kind, value)),
  decode: (kind, text, tags) => {
    const data = parse(text, tags);
    return toDomain(kind, tags === "kept" ? untagged(kind, data) : data);
  },
};

function parse(text: string, tags?: "kept"): unknown {
  const tree = parseJson(text);
  return wrapped("not transit", () => readTransit(tree, tags));
}

/** The tags that values of a kind have. A value with any other tag is of another kind. */
const tagsOf: { readonly [kind in Kind["kind"]]?: readonly string[] } = {
  keyword: [":", "$", "u"],
  instant: ["dt", "t", "m"],
  timestamp: ["dt", "t", "m"],
  array: ["list", "set"],
  set: ["set", "list"],
};

/**
 * Makes values with the tags of their kind plain, in place. A value that stays Tagged is of another kind, which `check`
 * reports, or unknown to the schema.
 */
function untagged(kind: Kind, value: unknown): unknown {
  const given = value instanceof Tagged && tagsOf[kind.kind]?.includes(value.tag) ? value.plain : value;
  switch (kind.kind) {
    case "array":
    case "set":
      if (Array.isArray(given)) for (const at of given.keys()) given[at] = untagged(kind.of, given[at]);
      break;
    case "record":
      if (isMap(given)) for (const key of Object.keys(given)) given[key] = untagged(kind.of, given[key]);
      break;
    case "object":
      if (isMap(given))
        for (const [name, field] of fieldKinds(kind))
          if (Object.hasOwn(given, name)) given[name] = untagged(field, given[name]);
  }
  return given;
}
