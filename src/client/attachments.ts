import type { Download, Http, Upload } from "../http/index.ts";
import { type Attachment, isMap, operations, type Page } from "../schema/index.ts";
import { type Call, callOf, incomplete, listed, worded } from "./call.ts";
import { followPages } from "./paging.ts";

/** An attachment as the service returned it, with its name. */
export type StoredAttachment = Attachment & { readonly "file-name": string };

/** A file with the card that it is on. */
export type CardFile = StoredAttachment & { readonly "card-id": string };

/** Files have no ids; card and name identify them. */
interface NamedFile {
  readonly id: string;
  readonly file: CardFile;
}

/** Every file of the account, page by page. A service without this list answers 404. */
async function* everyFile(http: Http): AsyncGenerator<readonly CardFile[]> {
  const fetch = (bookmark: string | undefined) =>
    callOf(http, operations["attachments.all"], { query: { bookmark } }, filePage).send();
  for await (const { docs } of followPages(fetch, {}, undefined)) yield docs.map(({ file }) => file);
}

function filePage(answer: unknown, call: Call<Page<NamedFile>>): Page<NamedFile> {
  listed<CardFile>(answer, "docs", "file-name", call);
  const files = listed<CardFile>(answer, "docs", "card-id", call);
  const bookmark = isMap(answer) ? answer["bookmark"] : undefined;
  return {
    docs: files.map((file) => ({ id: JSON.stringify([file["card-id"], file["file-name"]]), file })),
    bookmark: typeof bookmark === "string" ? bookmark : undefined,
  };
}

export function attachmentsClient(http: Http) {
  const params = (cardId: string, fileName: string) => ({ "card-id": cardId, "file-name": fileName });
  return {
    add: (cardId: string, upload: Upload): Call<StoredAttachment> =>
      callOf(
        http,
        operations["attachments.add"],
        { params: params(cardId, upload.fileName), upload },
        (answer, call) => {
          if (isMap(answer) && typeof answer["file-name"] === "string")
            return answer as unknown as StoredAttachment;
          throw incomplete(call, "file-name");
        },
      ),
    remove: (cardId: string, fileName: string): Call<void> =>
      callOf(http, operations["attachments.remove"], { params: params(cardId, fileName) }, () => {}),
    /** Only where the service has the extension. */
    list: (cardId: string): Call<readonly StoredAttachment[]> =>
      callOf(http, operations["attachments.list"], { params: { "card-id": cardId } }, (answer, call) =>
        listed<StoredAttachment>(answer, "docs", "file-name", call),
      ),
    /** The files of all cards, page by page. Only where the service has the extension. */
    all: () => everyFile(http),
    /**
     * Fetches a file, which `take` reads to its end; `take` is called again if the download broke off and is repeated.
     * Only where the service has the extension.
     */
    fetch: <T>(cardId: string, fileName: string, take: (download: Download) => Promise<T>): Promise<T> => {
      const operation = operations["attachments.get"];
      const input = { params: params(cardId, fileName) };
      return worded(http.download(operation, input, take), { operation, input });
    },
  };
}
