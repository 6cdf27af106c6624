import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { longestValue } from "./copy.ts";

export type SqliteValue = null | number | string | Uint8Array;
export type SqliteRow = readonly SqliteValue[];

/** A page that a tree names and the list of free pages does not; or one of which neither, or both, is so. */
type Standing = "named" | "stray";

/** The first byte of a page; that of one with rows is 13. */
const [tableTree, indexTree, indexLeaf] = [5, 2, 10];
const [named, free] = [1, 2];

/**
 * Reads the rows that are left in a damaged SQLite file. The engine follows pointers from page to page and ends at a wrong
 * one: a bit in the page at the top of a table hides all of its rows. This reads each page by itself, so that damage costs
 * what is on the damaged page and no more. The shape of a row has to tell which table it is of. The format:
 * https://sqlite.org/fileformat2.html
 */
export class SqlitePages {
  readonly #file: number;
  readonly #pageSize: number;
  readonly #count: number;
  /** For each page, `named` and `free`. */
  readonly #standing: Uint8Array;

  /** @param roots the pages at which the tables begin, where they are known */
  constructor(path: string, roots: Iterable<number> = []) {
    this.#file = openSync(path, "r");
    const header = Buffer.alloc(100);
    readSync(this.#file, header, 0, 100, 0);
    const size = header.readUInt16BE(16);
    // 4096 is what SQLite chooses where nothing else is asked for, as for all our stores.
    this.#pageSize = size >= 512 && (size & (size - 1)) === 0 ? size : 4096;
    this.#count = Math.floor(fstatSync(this.#file).size / this.#pageSize);
    this.#standing = new Uint8Array(this.#count + 1);
    for (const root of [1, ...roots]) this.#mark(root, named);
    this.#markFree(header.readUInt32BE(32));
    for (let number = 1; number <= this.#count; number++) this.#markChildren(number);
  }

  close(): void {
    closeSync(this.#file);
  }

  /** The rows of all tables, or the entries of all indexes, without those that cannot be read. */
  *rows(of: "table" | "index", standing: Standing): Generator<SqliteRow, void> {
    for (let number = 1; number <= this.#count; number++) {
      const marks = this.#standing[number];
      if (marks === free || (marks === named) !== (standing === "named")) continue;
      const page = this.#page(number);
      const kind = page[startOf(number)] ?? 0;
      const isIndex = kind === indexLeaf || kind === indexTree;
      // A page of which this byte is wrong is tried as one of rows; 0 is how one begins that a row continues on.
      if (kind === 0 || kind === tableTree || isIndex !== (of === "index")) continue;
      for (const at of cellsOf(page, number, kind === indexTree ? 12 : 8)) {
        const row = this.#row(page, kind === indexTree ? at + 4 : at, !isIndex);
        if (row !== undefined) yield row;
      }
    }
  }

  #page(number: number): Buffer {
    const page = Buffer.alloc(this.#pageSize);
    readSync(this.#file, page, 0, this.#pageSize, (number - 1) * this.#pageSize);
    return page;
  }

  /** @returns whether it was not marked so */
  #mark(number: number, as: number): boolean {
    const before = this.#standing[number];
    if (number < 1 || before === undefined || (before & as) !== 0) return false;
    this.#standing[number] = before | as;
    return true;
  }

  /** What is on them was deleted. */
  #markFree(first: number): void {
    for (let trunk = first; this.#mark(trunk, free); ) {
      const page = this.#page(trunk);
      const count = Math.min(page.readUInt32BE(4), this.#pageSize / 4 - 2);
      for (let entry = 0; entry < count; entry++) this.#mark(page.readUInt32BE(8 + 4 * entry), free);
      trunk = page.readUInt32BE(0);
    }
  }

  #markChildren(number: number): void {
    const page = this.#page(number);
    const start = startOf(number);
    const kind = page[start];
    if (kind !== tableTree && kind !== indexTree) return;
    for (const at of cellsOf(page, number, 12))
      if (at + 4 <= page.length) this.#mark(page.readUInt32BE(at), named);
    this.#mark(page.readUInt32BE(start + 8), named);
  }

  /** @returns undefined for a row that is damaged */
  #row(page: Buffer, at: number, isTable: boolean): SqliteRow | undefined {
    try {
      const [length, afterLength] = varint(page, at);
      const begin = isTable ? varint(page, afterLength)[1] : afterLength;
      return length > longestValue ? undefined : valuesOf(this.#payload(page, begin, length, isTable));
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }

  /** What is on the page itself, and on the pages that it continues on. */
  #payload(page: Buffer, at: number, length: number, isTable: boolean): Buffer {
    // Our stores reserve nothing at the end of a page.
    const usable = this.#pageSize;
    const most = isTable ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23;
    const least = Math.floor(((usable - 12) * 32) / 255) - 23;
    const fitting = least + ((length - least) % (usable - 4));
    const local = length <= most ? length : fitting <= most ? fitting : least;
    if (at + local > usable) throw new RangeError("the row ends after its page");
    const parts = [page.subarray(at, at + local)];
    let next = local < length ? page.readUInt32BE(at + local) : 0;
    for (let left = length - local; left > 0; left -= usable - 4) {
      if (next < 2 || next > this.#count) throw new RangeError("the row continues nowhere");
      const more = this.#page(next);
      parts.push(more.subarray(4, 4 + Math.min(left, usable - 4)));
      next = more.readUInt32BE(0);
    }
    return Buffer.concat(parts);
  }
}

/** The first page begins with the header of the file. */
const startOf = (number: number) => (number === 1 ? 100 : 0);

/** Where the cells of a page begin, which has a header of that length. */
function cellsOf(page: Buffer, number: number, header: number): number[] {
  const pointers = startOf(number) + header;
  const count = Math.min(page.readUInt16BE(startOf(number) + 3), (page.length - pointers) >> 1);
  return Array.from({ length: count }, (_, cell) => page.readUInt16BE(pointers + 2 * cell));
}

/** @returns the number and where it ends */
function varint(bytes: Buffer, at: number): [number, number] {
  let value = 0;
  for (let index = 0; index < 8; index++) {
    const byte = bytes.readUInt8(at + index);
    value = value * 128 + (byte & 127);
    if (byte < 128) return [value, at + index + 1];
  }
  return [value * 256 + bytes.readUInt8(at + 8), at + 9];
}

/** How many bytes a value of each of the first types has. */
const sizes = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0];

/** @throws RangeError for what is no row */
function valuesOf(payload: Buffer): SqliteValue[] {
  const values: SqliteValue[] = [];
  const [end, begin] = varint(payload, 0);
  let at = end;
  for (let header = begin; header < end; ) {
    const [type, next] = varint(payload, header);
    header = next;
    const size = type < 10 ? (sizes[type] ?? 0) : (type - 12 - (type % 2)) / 2;
    if (type === 10 || type === 11 || at + size > payload.length) throw new RangeError("no such value");
    values.push(decoded(type, payload.subarray(at, at + size)));
    at += size;
  }
  if (at !== payload.length) throw new RangeError("the row has another length");
  return values;
}

function decoded(type: number, bytes: Buffer): SqliteValue {
  if (type === 0) return null;
  if (type === 8 || type === 9) return type - 8;
  if (type === 7) return bytes.readDoubleBE(0);
  if (type === 6) return Number(bytes.readBigInt64BE(0));
  if (type < 6) return bytes.readIntBE(0, bytes.length);
  return type % 2 === 0 ? Buffer.from(bytes) : bytes.toString("utf8");
}
