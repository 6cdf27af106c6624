import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { contentTypeOf } from "../cards/content-type.ts";
import type { WireAnswer, WireRequest } from "../schema/index.ts";
import { answer } from "./answers.ts";

/** The files of the page itself: read at once, since an update replaces them while a server runs. */
export class Assets {
  readonly #files: ReadonlyMap<string, Buffer>;
  /** Part of the addresses of script and style: a browser keeps them until it is another one. */
  readonly version: string;

  constructor() {
    // The build puts them beside the chunks of the program; from its sources it takes those of the last build.
    const folder = join(__dirname, basename(__dirname) === "study" ? "../../dist/study" : "../study");
    this.#files = new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
    const all = Buffer.concat([...this.#files.values()]);
    this.version = createHash("sha256").update(all).digest("base64url").slice(0, 12);
  }

  /** @returns undefined for another path */
  at({ method, path, query }: WireRequest): WireAnswer | undefined {
    const name = path.slice("/study/".length);
    const bytes = this.#files.get(name);
    if (bytes === undefined || !["GET", "HEAD"].includes(method)) return undefined;
    const lasts = query === this.version ? "max-age=31536000, immutable" : "no-cache";
    return answer(200, { "content-type": contentTypeOf(name), "cache-control": lasts }, bytes);
  }
}
