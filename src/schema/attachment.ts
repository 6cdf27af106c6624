import { array, integer, keyword, object, type Received, string } from "./kinds.ts";

/** The answer to an upload. */
export const attachment = object({
  "file-name": string({ needed: true, about: "The name in the path." }),
  size: integer({ min: 0, about: "Bytes." }),
  type: string({ about: "The content type of the received file." }),
});
export type Attachment = Received<typeof attachment>;

/** A file in a list of the local service. */
const listedAttachment = object({
  ...attachment.fields,
  sha256: string({ about: "SHA-256 of the content, in hex." }),
});

/** A file with its card, in the list of all files of an account (the attachment-list extension of the local service). */
export const cardAttachment = object({
  "card-id": keyword({ needed: true, about: "The card that the file is on." }),
  ...listedAttachment.fields,
});

/** The attachment-list extension of the local service. */
export const attachmentList = object({ docs: array(listedAttachment, { needed: true }) });
