import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeEnding, foldedName, freeName } from "../files/safe-names.ts";
import { filesFolder, withoutDeck } from "../folder/layout.ts";
import type { DeckApplier } from "./apply-decks.ts";
import type { Sides } from "./outcome.ts";

/** Where the files of cards are: in the folders of their decks. */
export class CardPlaces {
  readonly #sides: Sides;
  readonly #decks: DeckApplier;
  /** The names in each folder, folded. Reading a folder for each of many new files would take most of a first sync. */
  readonly #names = new Map<string, Set<string>>();

  constructor(sides: Sides, decks: DeckApplier) {
    this.#sides = sides;
    this.#decks = decks;
  }

  /** Moves a file into the folder of its deck. @returns its path, undefined if there is no such folder */
  async moved(path: string, deck: string | null): Promise<string | undefined> {
    const { folder, step, scope } = this.#sides;
    const place = this.#folderOf(deck);
    const there = path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
    // Files at the top are in the deck that is synced, or in any.
    if (there === "" && (scope === undefined || deck === scope)) return path;
    if (place === undefined || place === there) return place && path;
    // Files of another card that were left there would become this one's, and its own would stay behind.
    const target = this.free(deck, basename(path), folder.exists(filesFolder(path)));
    if (target === undefined) return undefined;
    await step(`move ${path}`);
    return folder.move(path, target) ? target : undefined;
  }

  /**
   * A path that no file has, for a file of that name in the folder of a deck; undefined if there is no such folder. Where
   * somebody has made that file since the folder was read, it cannot be created, and the next round finds another path.
   *
   * @param withFiles whether there must be no folder for its attachments, either
   */
  free(deck: string | null, name: string, withFiles = false): string | undefined {
    const place = this.#folderOf(deck);
    if (place === undefined) return undefined;
    const names = this.#names.get(place) ?? new Set(this.#namesIn(place).map(foldedName));
    this.#names.set(place, names);
    const has = (each: string) => names.has(foldedName(each));
    const isTaken = (each: string) => has(each) || (withFiles && has(filesFolder(each)));
    const free = freeName(name, isTaken, (number) => beforeEnding(name, `~${number}`));
    names.add(foldedName(free));
    return `${place}/${free}`;
  }

  #namesIn(place: string): string[] {
    const full = join(this.#sides.folder.root, place);
    return existsSync(full) ? readdirSync(full) : [];
  }

  #folderOf(deck: string | null): string | undefined {
    return deck === null ? withoutDeck : this.#decks.folderOf(deck);
  }
}
