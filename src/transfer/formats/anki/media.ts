import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { DeckhandError } from "../../../errors.ts";
import { isMap } from "../../../schema/index.ts";
import { limits } from "../../limits.ts";
import { isFileName } from "../../media.ts";
import type { Skip, SourceAttachment } from "../../model.ts";
import type { Archive, ArchiveEntry } from "../zip/read.ts";
import { damaged } from "./database.ts";
import { messages, numberField, readMessage, textField } from "./protobuf.ts";
import { unzstd } from "./zstd.ts";

/** The media files of a package by their names, with accents composed. */
export class AnkiMedia {
  readonly #files: ReadonlyMap<string, SourceAttachment>;
  /** Those that cards show, and that are not there. */
  readonly #missing = new Set<string>();

  private constructor(files: ReadonlyMap<string, SourceAttachment>) {
    this.#files = files;
  }

  /**
   * @param packed whether each file, and the list of them, is compressed by Zstandard
   * @throws UsageError for a list that is damaged
   */
  static async of(archive: Archive, packed: boolean): Promise<AnkiMedia> {
    const files = new Map<string, SourceAttachment>();
    const list = archive.entries.get("media");
    if (list === undefined) return new AnkiMedia(files);
    try {
      for (const [entryName, { name, size }] of mediaNames(await contentOf(list, packed))) {
        const entry = archive.entries.get(entryName);
        if (entry === undefined) continue;
        const fileName = name.normalize("NFC");
        const length = packed ? size : entry.size;
        files.set(fileName, {
          fileName,
          ...(length === undefined ? {} : { size: length }),
          open: () => opened(entry, packed),
          place: entry.place,
        });
      }
      return new AnkiMedia(files);
    } catch (error) {
      throw error instanceof DeckhandError ? error : damaged(list.place, error);
    }
  }

  get(name: string): SourceAttachment | undefined {
    return this.#files.get(name.normalize("NFC"));
  }

  /** The files that a card shows; those that are missing are reported, once. */
  attachments(names: readonly string[], place: string, skip: Skip): SourceAttachment[] {
    const attachments = new Map<string, SourceAttachment>();
    for (const given of names) {
      const name = given.normalize("NFC");
      const file = this.get(name);
      if (file !== undefined && isFileName(name)) attachments.set(name, file);
      else if (!this.#missing.has(name)) {
        this.#missing.add(name);
        const why = file === undefined ? "they are not in the package" : "services do not accept their names";
        skip({ place: `${place}: ${name}`, what: "media files", why });
      }
    }
    return [...attachments.values()];
  }
}

async function opened(
  entry: ArchiveEntry,
  packed: boolean,
  limit: number = limits.mediaBytes,
): Promise<Readable> {
  return packed ? unzstd(await entry.open(), entry.place, limit) : entry.open();
}

const contentOf = async (entry: ArchiveEntry, packed: boolean): Promise<Buffer> =>
  packed ? buffer(await opened(entry, packed, limits.dataBytes)) : entry.read();

interface MediaName {
  readonly name: string;
  readonly size: number | undefined;
}

/** The names of media files by the names of their entries: JSON, or a protocol buffer since Anki 2.1.50. */
function mediaNames(bytes: Uint8Array): Map<string, MediaName> {
  const names = new Map<string, MediaName>();
  if (bytes.length === 0) return names;
  if (bytes[0] === 0x7b) {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
    for (const [entry, name] of Object.entries(isMap(value) ? value : {}))
      if (typeof name === "string") names.set(entry, { name, size: undefined });
    return names;
  }
  for (const [index, each] of messages(readMessage(bytes), 1).entries()) {
    const entry = readMessage(each);
    names.set(String(numberField(entry, 255) ?? index), {
      name: textField(entry, 1),
      size: numberField(entry, 2),
    });
  }
  return names;
}
