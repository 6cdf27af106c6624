import { basename } from "node:path";
import { foldedName } from "../files/safe-names.ts";
import { filesFolder, withoutDeck } from "../folder/layout.ts";
import type { FolderWriter } from "../folder/writer.ts";
import type { Agreed } from "./types.ts";

export interface PlaceOptions {
  readonly folder: FolderWriter<Agreed>;
  /** Called before each effect; tests end the run or change a side there. */
  readonly step: (effect: string) => Promise<void>;
  /** The folder of a deck. */
  deckFolder(id: string): string | undefined;
}

/** Where the files of cards are: in the folders of their decks. */
export class CardPlaces {
  readonly #options: PlaceOptions;
  /** The names in each folder, folded. Reading a folder for each of many new files would take most of a first sync. */
  readonly #names = new Map<string, Set<string>>();

  constructor(options: PlaceOptions) {
    this.#options = options;
  }

  /** Moves a file into the folder of its deck. @returns its path, undefined if there is no such folder */
  async moved(path: string, deck: string | null): Promise<string | undefined> {
    const { folder, step } = this.#options;
    const place = this.#folderOf(deck);
    const there = path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
    if (place === undefined) return undefined;
    // Files at the root of the folder are in the deck that is synced.
    if (place === there || there === "") return path;
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
    let names = this.#names.get(place);
    if (names === undefined) {
      names = new Set(this.#options.folder.names(place).map(foldedName));
      this.#names.set(place, names);
    }
    const known = names;
    const isTaken = (each: string) => known.has(foldedName(each));
    let free = name;
    for (let number = 2; isTaken(free) || (withFiles && isTaken(filesFolder(free))); number++)
      free = name.replace(/(?=\.[^.]*$)/, `~${number}`);
    names.add(foldedName(free));
    return `${place}/${free}`;
  }

  #folderOf(deck: string | null): string | undefined {
    return deck === null ? withoutDeck : this.#options.deckFolder(deck);
  }
}
