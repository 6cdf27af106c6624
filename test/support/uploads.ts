export interface PartOptions {
  readonly name?: string;
  /** null for a part without a file name. */
  readonly fileName?: string | null;
  /** null for a part without a content type. */
  readonly type?: string | null;
  readonly content: Uint8Array | string;
}

export const boundary = "----deckhand-test";
export const multipart = { "content-type": `multipart/form-data; boundary=${boundary}` };

/** The bytes of a multipart form, written by hand. */
export function formOf(...parts: PartOptions[]): Buffer {
  const chunks = parts.flatMap(({ name = "file", fileName = "x", type = "image/png", content }) => [
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"`,
    fileName === null ? "" : `; filename="${fileName}"`,
    type === null ? "" : `\r\ncontent-type: ${type}`,
    "\r\n\r\n",
    content,
    "\r\n",
  ]);
  return Buffer.concat([...chunks, `--${boundary}--\r\n`].map((chunk) => Buffer.from(chunk as string)));
}
