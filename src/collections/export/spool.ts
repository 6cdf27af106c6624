import {
  appendFileSync,
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { Card, Deck, Template } from "../../schema/index.ts";
import { isMap } from "../../schema/index.ts";
import { lockFile, unlockFile } from "../pid-lock.ts";
import { byteLines } from "../read/byte-lines.ts";

/** A file of a card, as it lies in the spool. */
export interface SpooledFile {
  readonly "card-id": string;
  readonly "file-name": string;
  readonly size?: number | undefined;
  readonly type?: string | undefined;
  /** Its name in the folder `files`; undefined if the service would not give it. */
  readonly file?: string | undefined;
  /** Why there is none. */
  readonly missing?: string | undefined;
}

export type Part = "decks" | "templates" | "cards" | "attachments";

/** How far a part has come. */
export interface Progress {
  readonly part: Part;
  /** Bytes of the part's file that are good. */
  readonly bytes: number;
  readonly count: number;
  /** Where the list goes on; with several lists, which one it is. */
  readonly bookmark?: string | undefined;
  readonly list?: number | undefined;
  readonly done?: true;
}

/**
 * What was fetched so far, in a folder beside the target: documents as lines of JSON, files as they are, and how far it
 * has come. An export that was stopped goes on from here; the target is only written when all is there.
 */
export class Spool {
  readonly folder: string;
  readonly #progress = new Map<Part, Progress>();
  readonly #files = new Map<Part, number>();

  /** @param scope what is exported, from where: a spool of anything else is thrown away */
  constructor(folder: string, scope: string) {
    this.folder = folder;
    lockFile(folder, "it for an export");
    if (!this.#resume(scope)) {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(join(folder, "files"), { recursive: true, mode: 0o700 });
      appendFileSync(join(folder, "state"), `${JSON.stringify({ scope })}\n`);
    }
  }

  get resumed(): boolean {
    return this.#progress.size > 0;
  }

  progress(part: Part): Progress {
    return this.#progress.get(part) ?? { part, bytes: 0, count: 0 };
  }

  /** Adds documents, each as a line with its kind as key, and takes down how far that is. */
  append(
    part: Part,
    documents: readonly unknown[],
    next: Pick<Progress, "bookmark" | "list" | "done">,
  ): void {
    const before = this.progress(part);
    const key = keys[part];
    let text = "";
    for (const document of documents) text += `{"${key}":${JSON.stringify(document)}}\n`;
    let file = this.#files.get(part);
    if (file === undefined) {
      file = openSync(join(this.folder, part), "a", 0o600);
      ftruncateSync(file, before.bytes);
      this.#files.set(part, file);
    }
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    const progress = {
      part,
      bytes: before.bytes + bytes.length,
      count: before.count + documents.length,
      ...next,
    };
    this.#progress.set(part, progress);
    appendFileSync(join(this.folder, "state"), `${JSON.stringify(progress)}\n`);
  }

  /** Throws a part away, to fetch it anew. */
  restart(part: Part): void {
    const file = this.#files.get(part);
    if (file !== undefined) closeSync(file);
    this.#files.delete(part);
    const progress = { part, bytes: 0, count: 0 };
    this.#progress.set(part, progress);
    appendFileSync(join(this.folder, "state"), `${JSON.stringify(progress)}\n`);
    if (existsSync(this.path(part))) truncateSync(this.path(part));
  }

  path(part: Part): string {
    return join(this.folder, part);
  }

  filePath(name: string): string {
    return join(this.folder, "files", name);
  }

  cards(): AsyncGenerator<Card> {
    return this.#read<Card>("cards");
  }

  decks(): Promise<Deck[]> {
    return collect(this.#read<Deck>("decks"));
  }

  templates(): Promise<Template[]> {
    return collect(this.#read<Template>("templates"));
  }

  attachments(): AsyncGenerator<SpooledFile> {
    return this.#read<SpooledFile>("attachments");
  }

  /** The files by their cards. */
  async attachmentsByCard(): Promise<ReadonlyMap<string, readonly SpooledFile[]>> {
    const byCard = new Map<string, SpooledFile[]>();
    for await (const file of this.attachments()) {
      const known = byCard.get(file["card-id"]);
      if (known === undefined) byCard.set(file["card-id"], [file]);
      else known.push(file);
    }
    return byCard;
  }

  /** Lets go of the files; the folder stays for the next try. */
  close(): void {
    for (const file of this.#files.values()) closeSync(file);
    this.#files.clear();
    unlockFile(this.folder);
  }

  remove(): void {
    this.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async *#read<T>(part: Part): AsyncGenerator<T> {
    if (!existsSync(this.path(part))) return;
    for await (const { bytes } of byteLines(this.path(part), part))
      yield (JSON.parse(bytes.toString("utf8")) as Record<string, T>)[keys[part]] as T;
  }

  #resume(scope: string): boolean {
    let text: string;
    try {
      text = readFileSync(join(this.folder, "state"), "utf8");
    } catch {
      return false;
    }
    const [head = "", ...lines] = text.slice(0, text.lastIndexOf("\n") + 1).split("\n");
    try {
      const value: unknown = JSON.parse(head);
      if (!isMap(value) || value["scope"] !== scope) return false;
      for (const line of lines) {
        if (line === "") continue;
        const progress = JSON.parse(line) as Progress;
        this.#progress.set(progress.part, progress);
      }
    } catch {
      return false;
    }
    // What was written after the last entry may be cut off.
    for (const part of Object.keys(keys) as Part[])
      if (existsSync(this.path(part))) truncateSync(this.path(part), this.progress(part).bytes);
    return true;
  }
}

const keys: Readonly<Record<Part, string>> = {
  decks: "deck",
  templates: "template",
  cards: "card",
  attachments: "attachment",
};

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
