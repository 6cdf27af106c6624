import { pipeline, type Readable, Transform } from "node:stream";
import { buffer } from "node:stream/consumers";
import { crc32 } from "node:zlib";
import yauzl, { type Entry, type ZipFile } from "yauzl";
import { DeckhandError } from "../../../errors.ts";
import { limits as defaultLimits, type Limits } from "../../limits.ts";
import { broken, quoted } from "../../place.ts";

/** A zip archive: its entries are known, their bytes are read when they are opened. */
export interface Archive {
  /** The name of the archive in messages. */
  readonly name: string;
  readonly entries: ReadonlyMap<string, ArchiveEntry>;
  close(): void;
}

export interface ArchiveEntry {
  readonly name: string;
  /** Bytes, unpacked. */
  readonly size: number;
  /** `archive: entry`, for messages. */
  readonly place: string;
  /** The bytes; the stream fails where they are damaged or more than the directory says. */
  open(): Promise<Readable>;
  /** All bytes of a data file. @throws UsageError if they are more than one may have */
  read(): Promise<Buffer>;
}

/**
 * Opens an archive and checks its directory: names that stay inside it, sizes and ratios within the limits, no name
 * twice, no symbolic links, nothing encrypted, no two entries in the same bytes.
 *
 * @throws UsageError that names the archive, and the entry.
 */
export async function openZip(path: string, name: string, limits: Limits = defaultLimits): Promise<Archive> {
  const zip = await yauzl
    .openPromise(path, { lazyEntries: true, autoClose: false, strictFileNames: false })
    .catch((error: unknown) => {
      throw damaged(name, error);
    });
  try {
    return await readDirectory(zip, name, limits);
  } catch (error) {
    zip.close();
    throw error instanceof DeckhandError ? error : damaged(name, error);
  }
}

async function readDirectory(zip: ZipFile, name: string, limits: Limits): Promise<Archive> {
  const entries = new Map<string, ArchiveEntry>();
  if (zip.entryCount > limits.archiveFiles)
    throw broken(name, `the archive has more than ${limits.archiveFiles} files`);
  let [total, packed] = [0, 0];
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName.endsWith("/")) continue;
    const place = `${name}: ${entry.fileName}`;
    total += entry.uncompressedSize;
    packed += entry.compressedSize;
    refuse(entry, place, limits);
    if (packed > zip.fileSize) throw broken(place, "the archive has entries that share the same bytes");
    if (total > limits.archiveBytes)
      throw broken(place, `the archive unpacks to more than ${mebibytes(limits.archiveBytes)}`);
    if (entries.has(entry.fileName))
      throw broken(place, `the archive has two files named ${quoted(entry.fileName)}`);
    entries.set(entry.fileName, archiveEntry(zip, entry, place, limits));
  }
  return { name, entries, close: () => zip.close() };
}

function refuse(entry: Entry, place: string, limits: Limits): void {
  const { uncompressedSize: size, compressedSize } = entry;
  if (entry.isEncrypted())
    throw broken(place, "the file is encrypted", "Save the archive without a password, and import that.");
  if (((entry.externalFileAttributes >>> 16) & 0xf000) === 0xa000)
    throw broken(place, "the file is a symbolic link");
  if (!entry.canDecodeFileData()) throw broken(place, "the file is compressed by an unknown method");
  if (size > Math.max(limits.mediaBytes, limits.databaseBytes))
    throw broken(place, `the file unpacks to more than ${mebibytes(limits.databaseBytes)}`);
  if (size > limits.ratioFrom && size > compressedSize * limits.ratio)
    throw broken(
      place,
      `the file unpacks to ${Math.round(size / Math.max(1, compressedSize))} times its size`,
    );
}

function archiveEntry(zip: ZipFile, entry: Entry, place: string, limits: Limits): ArchiveEntry {
  const open = async (): Promise<Readable> => {
    const packed = await zip.openReadStreamPromise(entry).catch((error: unknown) => {
      throw damaged(place, error);
    });
    return verified(packed, entry.crc32, place);
  };
  return {
    name: entry.fileName,
    size: entry.uncompressedSize,
    place,
    open,
    async read() {
      if (entry.uncompressedSize > limits.dataBytes)
        throw broken(place, `the file unpacks to more than ${mebibytes(limits.dataBytes)}`);
      return buffer(await open());
    },
  };
}

/** Passes the bytes on and compares their checksum at the end. */
function verified(packed: Readable, expected: number, place: string): Readable {
  let sum = 0;
  const add = (chunk: Buffer) => {
    sum = crc32(chunk, sum);
    return null;
  };
  const check = checked(place, cutOff, add, () =>
    sum === expected ? null : broken(place, "the file is damaged: its checksum is wrong"),
  );
  pipeline(packed, check, () => {});
  return check;
}

/** Passes bytes on, and fails where `check` or `end` do. Every other failure names the place, and that it is damaged. */
export function checked(
  place: string,
  damage: string,
  check: (chunk: Buffer) => DeckhandError | null,
  end: () => DeckhandError | null = () => null,
): Transform {
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(check(chunk), chunk),
    flush: (done) => done(end()),
    destroy: (error, done) =>
      done(error === null || error instanceof DeckhandError ? error : damaged(place, error, damage)),
  });
}

const cutOff = "the archive is damaged or cut off";

export function damaged(place: string, error: unknown, damage = cutOff): DeckhandError {
  const reason = error instanceof Error ? error.message : String(error);
  return broken(place, `${damage}: ${reason}`, undefined, error);
}

const mebibytes = (bytes: number) => `${Math.floor(bytes / 1024 / 1024)} MiB`;
