import type { Download, Http, Upload } from "../http/index.ts";
import { type Attachment, isMap, operations } from "../schema/index.ts";
import { type Call, callOf, incomplete, listed, worded } from "./call.ts";

/** An attachment as the service gave it back, with its name. */
export type StoredAttachment = Attachment & { readonly "file-name": string };

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
    /** Only where the service has the extension. */
    get: (cardId: string, fileName: string): Call<Download> => {
      const operation = operations["attachments.get"];
      const input = { params: params(cardId, fileName) };
      return { operation, input, send: () => worded(http.download(operation, input), { operation, input }) };
    },
  };
}
