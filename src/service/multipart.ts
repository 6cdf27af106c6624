import { finished, Readable } from "node:stream";
import busboy from "busboy";
import type { WireRequest } from "../schema/index.ts";
import { badRequest, invalid, type Problem, unsupported } from "./errors.ts";

/**
 * Reads an upload (service-api.md, Attachments): multipart form data with one part named `file`. The file name of the
 * part is ignored: the one in the path counts.
 *
 * @param take reads the content; called at most once, also for an upload that is refused after all
 * @returns the content type of the received file
 * @throws Problem 415 for another content type, 400 for what does not parse or ends early, 422 for other parts.
 */
export async function readFilePart(
  request: WireRequest,
  take: (content: Readable) => Promise<void>,
): Promise<string> {
  const { headers } = request;
  if (!/^multipart\/form-data\s*(;|$)/i.test(headers["content-type"] ?? ""))
    throw unsupported("the body must be multipart/form-data");
  const parser = parserOf(headers);
  const upload: { taking?: Promise<void>; type?: string; problem?: Problem } = {};
  const ended = new Promise<void>((resolve, reject) => {
    parser.on("file", (name, content, { mimeType }) => {
      // The reader of the content gets the error; one that comes before there is a reader must not end the process.
      content.on("error", () => {});
      if (name !== "file" || upload.taking !== undefined) {
        upload.problem ??= onlyFile(name);
        content.resume();
        return;
      }
      upload.type = /^[\w!#$&^.+-]{1,63}\/[\w!#$&^.+-]{1,63}$/.test(mimeType)
        ? mimeType
        : "application/octet-stream";
      upload.taking = take(content);
      upload.taking.catch(reject);
    });
    parser.on("field", (name) => {
      upload.problem ??=
        name === "file" ? invalid({ file: "must be a file with a file name" }) : onlyFile(name);
    });
    parser.on("error", () => reject(badRequest("the body is not whole multipart/form-data")));
    parser.on("close", resolve);
    feed(request, parser, reject);
  });
  try {
    await ended;
    await upload.taking;
    if (upload.problem !== undefined) throw upload.problem;
    if (upload.type === undefined) throw invalid({ file: "is required and cannot be nil" });
    return upload.type;
  } catch (error) {
    // Nothing more is read.
    parser.destroy();
    if (request.body instanceof Readable) request.body.unpipe(parser);
    await upload.taking?.catch(() => {});
    throw error;
  }
}

const onlyFile = (name: string | undefined) =>
  invalid({ [name || "file"]: "is not expected: one part named file holds the file" });

function parserOf(headers: WireRequest["headers"]): busboy.Busboy {
  try {
    // Names are UTF-8, as browsers and clients send them; busboy's default would read them as Latin-1.
    return busboy({
      headers,
      defParamCharset: "utf8",
      limits: { parts: 10, headerPairs: 100, fieldSize: 1024 },
    });
  } catch {
    throw badRequest("the content type names no boundary");
  }
}

function feed(request: WireRequest, parser: busboy.Busboy, reject: (error: unknown) => void): void {
  const { body } = request;
  const source =
    body instanceof Readable ? body : Readable.from(body === undefined ? [] : [Buffer.from(body)]);
  // Also reports a stream that broke off before this point.
  finished(source, { writable: false }, (error) => {
    if (error) reject(badRequest("the body ended early"));
  });
  source.pipe(parser);
}
