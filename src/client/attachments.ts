import { createHash } from "node:crypto";
import { pipeline, type Readable, Transform } from "node:stream";
import { DeckhandError } from "../errors.ts";
import type { Download, Http, Upload } from "../http/index.ts";
import { type Attachment, operations } from "../schema/index.ts";
import { type Call, worded } from "./call.ts";
import { followPages } from "./paging.ts";
import type { serviceClient } from "./service.ts";

/** An attachment as the service returned it, with its name. The hash is only in lists. */
export type StoredAttachment = Attachment & { readonly sha256?: string | null | undefined };

/** What a list says of a file that it can be compared with. */
type Listed = Pick<StoredAttachment, "file-name" | "size" | "sha256">;

/** A file with the card that it is on. */
type CardFile = StoredAttachment & { readonly "card-id": string };

type Take<T> = (download: Download) => Promise<T>;

/** Every file of the account, page by page. A service without this list answers 404. */
async function* everyFile(call: Call): AsyncGenerator<readonly CardFile[]> {
  const fetch = async (bookmark: string | undefined) => {
    const page = await call("attachments.all", { query: { bookmark } });
    // Files have no ids; card and name identify them.
    const idOf = (file: CardFile) => JSON.stringify([file["card-id"], file["file-name"]]);
    return { ...page, docs: page.docs.map((file) => ({ id: idOf(file), file })) };
  };
  for await (const { docs } of followPages(fetch, {}, undefined)) yield docs.map(({ file }) => file);
}

export function attachmentsClient(
  http: Http,
  call: Call,
  service: Pick<ReturnType<typeof serviceClient>, "has">,
) {
  /** The files of the card whose files were listed last: a card may have many pictures. */
  let known: { readonly cardId: string; readonly files: readonly StoredAttachment[] } | undefined;
  const params = (cardId: string, fileName: string) => ({ "card-id": cardId, "file-name": fileName });
  const client = {
    /**
     * @param before the SHA-256 that the file must still have, or `none` if there must be none (412 otherwise); only where
     * the service has the extension `conditional-writes`
     */
    add: (cardId: string, upload: Upload, before?: string) =>
      call("attachments.add", {
        params: params(cardId, upload.fileName),
        upload,
        ...(before === "none" ? { ifNew: true } : before && { ifMatch: `"${before}"` }),
      }),
    remove: (cardId: string, fileName: string) =>
      call("attachments.remove", { params: params(cardId, fileName) }),
    /** Only where the service has the extension. */
    list: async (cardId: string) => (await call("attachments.list", { params: { "card-id": cardId } })).docs,
    /** The files of all cards, page by page. Only where the service has the extension. */
    all: () => everyFile(call),
    /**
     * Fetches a file, which `take` reads to its end; `take` is called again if the download broke off and is repeated.
     * Only where the service has the extension.
     */
    fetch: <T>(cardId: string, fileName: string, take: Take<T>): Promise<T> => {
      const operation = operations["attachments.get"];
      const input = { params: params(cardId, fileName) };
      return worded(http.download(operation, input, take), operation, input);
    },
    /**
     * As `fetch`, compared with the size and the hash in the list of the card's files, where the service has that list. If
     * they differ, the file is listed and fetched once more.
     *
     * @param from a list that has the file, instead of that of the card
     * @throws DifferentFileError if they differ again. The stream that `take` reads fails with it, at its end at the latest.
     */
    async fetchListed<T>(
      cardId: string,
      fileName: string,
      take: Take<T>,
      from?: Listed | undefined,
    ): Promise<T> {
      if (!(await service.has("attachment-list"))) return client.fetch(cardId, fileName, take);
      const look = async () => {
        if (known?.cardId !== cardId) known = { cardId, files: await client.list(cardId) };
        return known.files.find((each) => each["file-name"] === fileName.normalize("NFC"));
      };
      const fetchAs = (file: Listed | undefined) =>
        client.fetch(cardId, fileName, ({ headers, body }) =>
          take({ headers, body: file === undefined ? body : compared(body, file) }),
        );
      try {
        return await fetchAs(from ?? (await look()));
      } catch (error) {
        if (!(error instanceof DifferentFileError)) throw error;
        known = undefined;
        return fetchAs(await look());
      }
    },
  };
  return client;
}

/** What came is not the file in the list: it was cut, replaced by an error, or damaged in the store. */
export class DifferentFileError extends DeckhandError {}

/** The stream, which fails at its end unless its size and hash are those of the file. */
function compared(body: Readable, { size, sha256, ...file }: Listed): Readable {
  const differ = (what: string) =>
    new DifferentFileError("bad-response", `attachment ${JSON.stringify(file["file-name"])}: ${what}`, {
      hint: "Nothing was saved. The service's list and its file do not agree; deckhand check tells more about a local one.",
    });
  const hash = typeof sha256 === "string" ? createHash("sha256") : undefined;
  let bytes = 0;
  const compare = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      hash?.update(chunk);
      if (size != null && bytes > size) done(differ(`more than the listed ${size} bytes came`));
      else done(null, chunk);
    },
    flush(done) {
      if (size != null && bytes !== size) done(differ(`${bytes} of the listed ${size} bytes came`));
      else if (hash !== undefined && hash.digest("hex") !== sha256?.toLowerCase())
        done(differ("what came does not have the listed SHA-256"));
      else done();
    },
  });
  // pipeline passes the errors of either side on to the other, where the reader gets them.
  return pipeline(body, compare, () => {});
}
