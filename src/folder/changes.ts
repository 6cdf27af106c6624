import type { Stat } from "./stat.ts";

/** A file as it is now. */
export interface WrittenFile extends Stat {
  /** SHA-256 of the bytes. */
  readonly hash: string;
}

export interface DiskFile extends WrittenFile {
  readonly bytes: Buffer;
}

/** A temporary file of the private folder that is whole. */
export interface Prepared {
  readonly path: string;
  /** SHA-256 of the bytes. */
  readonly hash: string;
}

/** A file to be written. */
export interface Write<About> {
  readonly path: string;
  readonly content: string | Prepared;
  /** The hash of the file that it replaces; undefined for a new one. */
  readonly expected?: string | undefined;
  /** Whether the file that it replaces stays in the trash. */
  readonly kept?: boolean;
  /** What the caller recovers from, if this is where the run ends. */
  readonly about?: About | undefined;
  /** Called when it is written, before the change is recorded as done. */
  record?(written: WrittenFile): void;
}

/** A change of a file that may have been begun; `aside` is where the old file is. */
export interface FileChange<About = unknown> {
  readonly op: "create" | "replace" | "trash";
  readonly path: string;
  readonly temporary?: string | undefined;
  readonly aside?: string | undefined;
  readonly expected?: string | undefined;
  readonly kept?: boolean | undefined;
  /** The new file. */
  readonly written?: { readonly hash: string; readonly about: About } | undefined;
}

/** A write whose place was looked at. */
export interface Ready<About> {
  readonly change: FileChange<About>;
  readonly record: Write<About>["record"];
  /** What its temporary file will have; undefined where that is there already. */
  readonly content: string | undefined;
  readonly hash: string;
  /** The permissions of the file that it replaces. */
  readonly mode: number | undefined;
}

export interface WriterOptions<About> {
  /** Names this machine and account among those that write the folder. */
  readonly owner: string;
  /** Called before each effect; tests end the run or edit a file there. */
  readonly step: (effect: string) => Promise<void>;
  /** Records what is about to happen, on the disk when it returns. @returns what `end` is called with */
  begin(changes: readonly FileChange<About>[]): readonly number[];
  /** Records that they have happened, together with what `record` records. */
  end(numbers: readonly number[], record: () => void): void;
}
