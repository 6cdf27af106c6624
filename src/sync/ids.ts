import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../errors.ts";
import { replaceFile } from "../files/atomic-write.ts";
import { readYaml, yamlMap } from "../transfer/formats/markdown/front-matter.ts";
import { idsFile } from "./layout.ts";

function idsIn(text: string): Readonly<Record<string, unknown>> {
  if (/^(?:<{7}|>{7})(?: |$)/m.test(text))
    throw new UsageError(`${idsFile} has conflict markers`, {
      hint: "Edit it: keep the lines of both sides, one a path, and remove those that begin with <<<<<<<, |||||||, ======= and >>>>>>>.",
    });
  return readYaml(text, idsFile);
}

/** The ids of files in a file of their own, `deckhand.ids.yaml`: a map from path to id. */
export class SideIds {
  readonly #file: string;
  readonly #ids = new Map<string, string>();

  constructor(root: string) {
    this.#file = join(root, idsFile);
    let text = "";
    try {
      text = readFileSync(this.#file, "utf8");
    } catch {
      return; // There is none yet.
    }
    for (const [path, id] of Object.entries(idsIn(text))) this.#ids.set(path, String(id));
  }

  get(path: string): string | undefined {
    return this.#ids.get(path);
  }

  async set(path: string, id: string): Promise<void> {
    if (this.#ids.get(path) === id) return;
    const old = [...this.#ids].find(([, each]) => each === id)?.[0];
    const isNew = old === undefined && !this.#ids.has(path);
    if (old !== undefined) this.#ids.delete(old);
    this.#ids.set(path, id);
    if (isNew) appendFileSync(this.#file, yamlMap({ [path]: id }), { mode: 0o600 });
    else replaceFile(this.#file, yamlMap(Object.fromEntries(this.#ids)), { synced: true });
  }
}
