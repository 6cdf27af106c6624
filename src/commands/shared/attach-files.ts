import { constants } from "node:fs";
import { access, open, stat } from "node:fs/promises";
import { basename } from "node:path";
import type { StoredAttachment } from "../../client/index.ts";
import type { Context } from "../../context/context.ts";
import { UsageError } from "../../errors.ts";
import type { Upload } from "../../http/index.ts";
import { whileCounting } from "./lists.ts";
import { fileError } from "./text.ts";

/**
 * Makes sure, before anything is sent, that all files can be: readable regular files, each under a name of its own.
 * @throws UsageError that names the first that cannot
 */
export async function checkFiles(paths: readonly string[]): Promise<void> {
  const names = new Map<string, string>();
  for (const path of paths) {
    const found = await stat(path).catch((cause) => Promise.reject(fileError(path, cause)));
    await access(path, constants.R_OK).catch((cause) => Promise.reject(fileError(path, cause)));
    if (!found.isFile()) throw new UsageError(`could not read ${path}: it is not a file`);
    const name = nameOf(path);
    const other = names.get(name);
    if (other !== undefined)
      throw new UsageError(`${other} and ${path} have the same name: the second would replace the first`);
    names.set(name, path);
  }
}

export async function attachFiles(cardId: string, paths: readonly string[], context: Context): Promise<void> {
  for (const path of paths) await attachFile(cardId, fileUpload(path), context);
}

/** Stores one file on a card. @returns what the service says of it */
export async function attachFile(
  cardId: string,
  upload: Upload & { readonly size?: number | undefined },
  context: Context,
): Promise<StoredAttachment> {
  const { attachments } = await context.client();
  const send = (progress: (bytes: number, size?: number) => void) => {
    const source = async () => {
      const opened = await upload.source();
      progress(0, opened.size);
      return opened;
    };
    return attachments.add(cardId, { ...upload, source, onProgress: (bytes) => progress(bytes) });
  };
  return whileCounting(`Sending ${upload.fileName}`, context, send, "bytes");
}

/** A file on disk as an upload: opened anew for each attempt, read as it is sent. */
export function fileUpload(path: string, name = nameOf(path)): Upload {
  return {
    fileName: name,
    async source() {
      const file = await open(path, "r").catch((cause) => Promise.reject(fileError(path, cause)));
      try {
        const { size } = await file.stat();
        return { stream: file.createReadStream(), size };
      } catch (cause) {
        await file.close();
        throw fileError(path, cause);
      }
    },
  };
}

const nameOf = (path: string) => basename(path).normalize("NFC");
