import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
} from "node:fs";
import { join } from "node:path";
import { intoFile } from "../../files/file-sink.ts";
import type { Held } from "../../files/lock.ts";
import type { Deck, Template } from "../../schema/index.ts";
import { isMap } from "../../schema/index.ts";
import { byteLines } from "../formats/byte-lines.ts";
import { filePieces } from "./file-pieces.ts";
import { LoggedFile, writeAll } from "./logged-file.ts";
import {
  type CardFacts,
  documentOf,
  filePath,
  isStale,
  isWhole,
  type Part,
  type Progress,
  parts,
  type SpooledFile,
  spoolLine,
} from "./spooled.ts";

/**
 * What was fetched so far, in a folder beside the target: cards in the form that the target takes them in, other documents
 * as lines of JSON, files as they are, and how far it has come. An export that was stopped goes on from here; the target is
 * only written when all is there.
 */
export class Spool {
  readonly folder: string;
  readonly #lock: Held;
  /** The ids of the cards, in their order. */
  readonly ids = new Set<string>();
  /** The templates that cards have. */
  readonly usedTemplates = new Set<string>();
  readonly mentions: CardFacts["mentions"][number][] = [];
  readonly #progress = new Map<Part, Progress>();
  readonly #files = new Map<Part | "state", number>();
  #cards: LoggedFile | undefined;

  /**
   * @param scope what is exported, from where: a spool of anything else is thrown away, and one that is too old
   * @param now epoch milliseconds
   */
  constructor(folder: string, scope: string, now: number, lock: Held) {
    this.folder = folder;
    this.#lock = lock;
    if (isStale(join(folder, "state"), now) || !this.#resume(scope)) {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(join(folder, "files"), { recursive: true, mode: 0o700 });
      this.#write("state", `${JSON.stringify({ scope })}\n`);
    }
  }

  /** Whether there is anything to go on from: the decks come first, and all at once. */
  get isBegun(): boolean {
    return this.progress("decks").done === true;
  }

  progress(part: Part): Progress {
    return this.#progress.get(part) ?? { part, bytes: 0, count: 0 };
  }

  /** Adds documents, each as a line with its kind as key, and takes down how far that is. */
  append(part: Exclude<Part, "cards">, documents: readonly unknown[], next: Pick<Progress, "done">): void {
    const text = documents.map((document) => `${spoolLine(part, document)}\n`).join("");
    const before = this.progress(part);
    const bytes = before.bytes + this.#write(part, text);
    const progress = { part, bytes, count: before.count + documents.length, ...next };
    this.#write("state", `${JSON.stringify(progress)}\n`);
    this.#reach(progress, undefined);
  }

  /**
   * Adds a page of cards. It is written with those that come soon: what can be gone on from is behind until settle().
   *
   * @param text the cards in the form of the target
   */
  appendCards(text: string, facts: CardFacts, next: Pick<Progress, "bookmark" | "list" | "done">): void {
    this.#cards ??= new LoggedFile(this.#file("cards"), this.#file("state"));
    const before = this.progress("cards");
    const bytes = before.bytes + this.#cards.add(text);
    const progress: Progress = { part: "cards", bytes, count: before.count + facts.ids.length, ...next };
    const known = facts.ids.length === 0 ? undefined : facts;
    this.#cards.note(`${JSON.stringify({ ...progress, facts: known })}\n`);
    this.#reach(progress, known);
  }

  /** Writes what is not written yet. */
  settle(): void {
    this.#cards?.write();
  }

  /** Throws a part away, to fetch it anew. */
  restart(part: Part): void {
    if (part === "cards") this.#cards?.drop();
    const progress = { part, bytes: 0, count: 0 };
    this.#write("state", `${JSON.stringify(progress)}\n`);
    this.#reach(progress, undefined);
    if (existsSync(this.path(part))) truncateSync(this.path(part));
  }

  #reach(progress: Progress, facts: CardFacts | undefined): void {
    this.#progress.set(progress.part, progress);
    if (progress.part === "cards" && progress.count === 0) {
      this.ids.clear();
      this.usedTemplates.clear();
      this.mentions.length = 0;
    }
    for (const id of facts?.ids ?? []) this.ids.add(id);
    for (const id of facts?.templates ?? []) this.usedTemplates.add(id);
    for (const mention of facts?.mentions ?? []) this.mentions.push(mention);
  }

  /** @returns how many bytes that were */
  #write(name: Part | "state", text: string): number {
    const bytes = Buffer.from(text);
    writeAll(this.#file(name), bytes);
    return bytes.length;
  }

  #file(name: Part | "state"): number {
    let file = this.#files.get(name);
    if (file === undefined) {
      file = openSync(join(this.folder, name), "a", 0o600);
      this.#files.set(name, file);
    }
    return file;
  }

  path(part: Part): string {
    return join(this.folder, part);
  }

  filePath(name: string): string {
    return filePath(this.folder, name);
  }

  decks(): Deck[] {
    return this.#documents<Deck>("decks");
  }

  templates(): Template[] {
    return this.#documents<Template>("templates");
  }

  async *attachments(): AsyncGenerator<SpooledFile> {
    for await (const line of this.lines("attachments")) yield documentOf<SpooledFile>("attachments", line);
  }

  /**
   * Makes the cards' file the target, with all that comes after the cards. That is more than the cards' bytes until it is
   * moved: whoever goes on from here cuts it off.
   */
  async giveCards(path: string, more: AsyncIterable<string> | Iterable<string> = []): Promise<void> {
    await intoFile(this.path("cards"), (sink) => sink.writeAll(more), "a");
    this.#closeFiles();
    renameSync(this.path("cards"), path);
  }

  /** Lets go of the files; the folder stays for the next try. */
  close(): void {
    try {
      this.settle();
    } catch {
      // What can't be written is fetched again.
    }
    this.#closeFiles();
    this.#lock.release();
  }

  #closeFiles(): void {
    for (const file of this.#files.values()) closeSync(file);
    this.#files.clear();
    this.#cards = undefined;
  }

  remove(): void {
    this.#cards?.drop();
    this.#closeFiles();
    try {
      rmSync(this.folder, { recursive: true, force: true });
    } finally {
      this.#lock.release();
    }
  }

  /** The bytes of a part as they are spooled. */
  bytes(part: Part): Generator<Uint8Array<ArrayBuffer>> {
    return filePieces(this.path(part), this.progress(part).bytes);
  }

  /** The lines of a part, without their line breaks. */
  async *lines(part: Part): AsyncGenerator<string> {
    if (this.progress(part).bytes === 0) return;
    for await (const { bytes } of byteLines(this.path(part), part, { longest: Number.POSITIVE_INFINITY }))
      yield bytes.toString("utf8");
  }

  /** The lines of a part, as they are spooled, all at once: for parts of which there are few. */
  text(part: Exclude<Part, "cards">): string {
    return this.progress(part).bytes === 0 ? "" : readFileSync(this.path(part), "utf8");
  }

  #documents<T>(part: Exclude<Part, "cards">): T[] {
    const lines = this.text(part).split("\n").slice(0, -1);
    return lines.map((line) => documentOf<T>(part, line));
  }

  #resume(scope: string): boolean {
    let text: string;
    try {
      text = readFileSync(join(this.folder, "state"), "utf8");
    } catch {
      return false;
    }
    const whole = text.slice(0, text.lastIndexOf("\n") + 1);
    const [head = "", ...lines] = whole.split("\n");
    try {
      const value: unknown = JSON.parse(head);
      if (!isMap(value) || value["scope"] !== scope) return false;
      for (const line of lines) {
        if (line === "") continue;
        const { facts, ...progress } = JSON.parse(line) as Progress & { facts?: CardFacts };
        this.#reach(progress, facts);
      }
      // What was written after the last entry is cut off; what should be there and is not can't be gone on from.
      // One that is whole is not touched: its age is that of its last entry.
      if (whole !== text) truncateSync(join(this.folder, "state"), Buffer.byteLength(whole));
      for (const part of parts) {
        const { bytes } = this.progress(part);
        const size = statSync(this.path(part), { throwIfNoEntry: false })?.size ?? 0;
        if (size < bytes) throw new Error(`${part} is too short`);
        if (size > bytes) truncateSync(this.path(part), bytes);
      }
      const files = this.#documents<SpooledFile>("attachments");
      if (!files.every((file) => isWhole(file, this.folder))) this.restart("attachments");
      return true;
    } catch {
      this.#reach({ part: "cards", bytes: 0, count: 0 }, undefined);
      this.#progress.clear();
      return false;
    }
  }
}
