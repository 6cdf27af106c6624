import { beforeEnding, freeName, safeFileName } from "../../../files/safe-names.ts";
import type { ListedFile } from "../../collection.ts";

/** The names of attachments in a package, whose media has one folder: files of one name have different ones there, unless they are equal. */
export class MediaNames {
  /** By name in the package, and how many cards have each. */
  readonly files = new Map<string, { readonly file: ListedFile; readonly cards: number }>();
  readonly #used = new Set<string>();
  readonly #byHash = new Map<string, string>();
  readonly #missing = new Map<string, string>();

  /** The name in the package for each file of a card, by the name that the card has for it. */
  of(card: string, files: readonly ListedFile[]): ReadonlyMap<string, string> {
    const names = new Map<string, string>();
    for (const file of files) {
      const given = file["file-name"].normalize("NFC");
      const key = file.sha256 === undefined ? undefined : `${file.sha256} ${given}`;
      const name = (key === undefined ? undefined : this.#byHash.get(key)) ?? this.#free(safe(given), card);
      if (key !== undefined) this.#byHash.set(key, name);
      const before = this.files.get(name);
      this.files.set(name, { file: before?.file ?? file, cards: (before?.cards ?? 0) + 1 });
      names.set(given, name);
    }
    return names;
  }

  /** The name for a file that cards link to and do not have: no file of the package has it. */
  missing(card: string, given: string): string {
    const key = given.normalize("NFC");
    const name = this.#missing.get(key) ?? this.#free(safe(key), card);
    this.#missing.set(key, name);
    return name;
  }

  #free(name: string, card: string): string {
    // Some file systems do not tell cases apart.
    const isTaken = (each: string) => this.#used.has(each.toLowerCase());
    const free = freeName(name, isTaken, (number) =>
      beforeEnding(name, `-${card}${number === 2 ? "" : `-${number - 1}`}`),
    );
    this.#used.add(free.toLowerCase());
    return free;
  }
}

/** Anki removes brackets from names, too. */
const safe = (name: string) => safeFileName(name).replace(/[[\]^]/g, "_");
