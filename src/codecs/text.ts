import { Buffer, isUtf8 } from "node:buffer";
import { type CodecName, codecNames, mediaTypes } from "../schema/index.ts";
import { CodecError, wrapped } from "./codec.ts";

/**
 * The text of UTF-8 bytes; a byte order mark at the beginning is dropped.
 *
 * @throws CodecError if the bytes are not UTF-8: replacement characters would silently change what people wrote.
 */
export function decodeUtf8(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  // The text may really contain that character.
  if (text.includes(replacement) && !isUtf8(bytes)) throw new CodecError("not UTF-8");
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/** The decoder puts it in the place of bytes that are not UTF-8. */
const replacement = "\ufffd";

/** The codec that a Content-Type names, whatever its parameters; undefined if it is neither. */
export function codecNameOf(contentType: string | undefined): CodecName | undefined {
  const mediaType = contentType?.split(";", 1)[0]?.trim().toLowerCase();
  return codecNames.find((name) => mediaTypes[name] === mediaType);
}

/** @throws CodecError if the text is not JSON. */
export const parseJson = (text: string): unknown =>
  wrapped("not JSON", () => {
    try {
      return JSON.parse(text);
    } catch (error) {
      // The engine quotes some text around the place; half of a key in it would not be recognised and masked.
      throw new Error((error as Error).message.replace(/, (?:\.{3})?".*/s, ""));
    }
  });
