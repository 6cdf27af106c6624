import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { contentTypeOf } from "../cards/content-type.ts";
import type { WireAnswer, WireRequest } from "../schema/index.ts";
import { answer } from "./answers.ts";

// The build puts them beside the chunks of the program; from its sources it takes those of the last build.
const folder = join(__dirname, basename(__dirname) === "study" ? "../../dist/study" : "../study");

/** The files of the page itself, by name: read at once, since an update replaces them while a server runs. */
const files = new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));

const all = Buffer.concat([...files.values()]);
const version = createHash("sha256").update(all).digest("base64url").slice(0, 12);

/** The address of a file that a browser keeps until another one has taken its place. */
export const versioned = (name: string): string => `${name}?${version}`;

/** @returns undefined for another path */
export function assetAt({ method, path, query }: WireRequest): WireAnswer | undefined {
  const name = path.slice("/study/".length);
  const bytes = files.get(name);
  if (bytes === undefined || !["GET", "HEAD"].includes(method)) return undefined;
  const lasts = query === version ? "max-age=31536000, immutable" : "no-cache";
  return answer(200, { "content-type": contentTypeOf(name), "cache-control": lasts }, bytes);
}
