import { Buffer } from "node:buffer";
import { Readable } from "node:stream";
import { UsageError } from "../errors.ts";
import type { Upload } from "./settings.ts";

/** A multipart body on its way out. */
export interface OutgoingForm {
  readonly headers: Readonly<Record<string, string>>;
  readonly stream: Readable;
  /** What went wrong with the file. */
  readonly problem: Error | undefined;
  /** Closes the file. */
  destroy(): void;
}

/**
 * Opens the upload as one multipart part named `file`, in constant memory (docs/design/wire.md, Multipart). The length
 * is exact where the size is known; otherwise the body is sent chunked.
 *
 * @param sent is called with the number of bytes of the file that were sent so far.
 */
export async function openForm(upload: Upload, sent: (bytes: number) => void): Promise<OutgoingForm> {
  const { contentType } = upload;
  // form-data does not escape it.
  if (contentType !== undefined && !/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:;[\x20-\x7e]*)?$/.test(contentType))
    throw new UsageError(`${JSON.stringify(contentType)} is not a content type`);
  const { default: FormData } = await import("form-data");
  const { stream: source, size } = await upload.source();
  const form = new FormData();
  let problem: Error | undefined;
  const chunks = checked(source, size, sent, (error) => {
    problem = error;
  });
  const file = Readable.from(chunks, { objectMode: false }).on("error", () => {});
  // form-data ignores a knownLength of 0: an empty file is an empty buffer.
  form.append("file", size === 0 ? Buffer.alloc(0) : file, {
    filename: upload.fileName.normalize("NFC"),
    ...(contentType === undefined ? {} : { contentType }),
    ...(size ? { knownLength: size } : {}),
  });
  // form-data makes an old-style stream, without backpressure.
  const stream = new Readable({ read: () => form.resume() });
  form.on("data", (chunk: Buffer | string) => stream.push(chunk) || form.pause());
  form.on("end", () => stream.push(null));
  form.on("error", (error) => stream.destroy(error));
  // An error before anyone reads it would end the process; `problem` has it, too.
  stream.on("error", () => {});
  source.on("error", () => {});
  const length = size === undefined ? {} : { "content-length": String(form.getLengthSync()) };
  return {
    headers: { ...form.getHeaders(), ...length },
    stream,
    get problem() {
      return problem;
    },
    destroy() {
      stream.destroy();
      file.destroy();
      source.destroy();
    },
  };
}

/** The bytes of a file, which must have the announced size. @param failed called with the error if reading fails or it has not */
async function* checked(
  source: Readable,
  size: number | undefined,
  sent: (bytes: number) => void,
  failed: (problem: Error) => void,
): AsyncGenerator<Buffer> {
  let bytes = 0;
  try {
    for await (const data of source as AsyncIterable<Buffer | string>) {
      const chunk = Buffer.from(data);
      bytes += chunk.length;
      if (size !== undefined && bytes > size) throw new Error("it became longer");
      sent(bytes);
      yield chunk;
    }
    if (size !== undefined && bytes < size) throw new Error("it became shorter");
  } catch (error) {
    const isCut = (error as NodeJS.ErrnoException).code === "ERR_STREAM_PREMATURE_CLOSE";
    failed(isCut ? new Error("it ended too early") : (error as Error));
    throw error;
  }
}
