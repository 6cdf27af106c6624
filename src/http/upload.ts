import { Buffer } from "node:buffer";
import { Readable } from "node:stream";
import { UsageError } from "../errors.ts";
import type { Upload } from "./settings.ts";

/** A multipart body on its way out. */
export interface OutgoingForm {
  readonly headers: Readonly<Record<string, string>>;
  readonly stream: Readable;
  /** Whether its end may have gone out: before that it is no body that a service can do anything with. */
  readonly whole: boolean;
  /** What went wrong with the file, where it was the file. */
  readonly problem: Error | undefined;
  /** Closes the file, whether it was read to its end or not. */
  destroy(): void;
}

/**
 * Opens the upload as one multipart part named `file` (wire.md, Multipart), in constant memory. The length is exact
 * where the size is known; else the body goes out chunked.
 *
 * @param sent is told the bytes of the file that went out so far.
 */
export async function openForm(upload: Upload, sent: (bytes: number) => void): Promise<OutgoingForm> {
  const { contentType } = upload;
  // form-data does not escape it.
  if (contentType !== undefined && !/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:;[\x20-\x7e]*)?$/.test(contentType))
    throw new UsageError(`${JSON.stringify(contentType)} is not a content type`);
  // 40 ms to load: only for uploads.
  const { default: FormData } = await import("form-data");
  const { stream: source, size } = await upload.source();
  const form = new FormData();
  // A knownLength of 0 is ignored: an empty file goes in as an empty buffer.
  form.append("file", size === 0 ? Buffer.alloc(0) : source, {
    filename: upload.fileName.normalize("NFC"),
    ...(contentType === undefined ? {} : { contentType }),
    ...(size ? { knownLength: size } : {}),
  });
  let problem: Error | undefined;
  const fail = (error: Error) => {
    problem ??= error;
    stream.destroy(error);
  };
  const count = (bytes: number) => {
    if (size !== undefined && bytes > size) fail(new Error("it became longer"));
    else sent(bytes);
  };
  const atEnd = (bytes: number) => {
    if (size === undefined || bytes === size) return true;
    fail(new Error("it became shorter"));
    return false;
  };
  const stream = readableOf(form, { count, atEnd, closeSource: () => source.destroy() });
  source.on("error", fail);
  source.once("close", () => {
    // Not if it is closed because the stream around it was.
    if (!source.readableEnded && !stream.destroyed && size !== 0) fail(new Error("it ended too early"));
  });
  const length = size === undefined ? {} : { "content-length": String(form.getLengthSync()) };
  return {
    headers: { ...form.getHeaders(), ...length },
    stream,
    get whole() {
      // What closes the part comes after the end of the file.
      return size === 0 || source.readableEnded;
    },
    get problem() {
      return problem;
    },
    destroy() {
      stream.destroy();
      source.destroy();
    },
  };
}

/**
 * form-data makes old-style streams that know no backpressure and lose the errors of their source when they are piped;
 * this is a stream of today around one.
 */
function readableOf(
  form: NodeJS.ReadableStream,
  file: { count(bytes: number): void; atEnd(bytes: number): boolean; closeSource(): void },
): Readable {
  let bytes = 0;
  const stream = new Readable({
    read() {
      form.resume();
    },
    destroy(error, done) {
      file.closeSource();
      done(error);
    },
  });
  // The file may fail before anyone reads it, which must not end the process: `problem` tells of it.
  stream.on("error", () => {});
  form.on("data", (chunk: string | Buffer) => {
    // Text is what form-data puts around the file.
    if (typeof chunk !== "string") {
      bytes += chunk.length;
      file.count(bytes);
    }
    if (!stream.push(chunk)) form.pause();
  });
  form.on("end", () => {
    if (file.atEnd(bytes)) stream.push(null);
  });
  form.on("error", (error: Error) => stream.destroy(error));
  return stream;
}
