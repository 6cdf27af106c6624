import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { fileProblem } from "../../files/errors.ts";
import { broken } from "../place.ts";

/**
 * What is in a folder of a source, in no order.
 *
 * @param place the folder in messages
 * @throws UsageError for one that cannot be read: the cards in it would be left out
 */
export const listFolder = (path: string, place: string): Promise<Dirent[]> =>
  readdir(path, { withFileTypes: true }).catch((error: unknown) => {
    throw broken(place, fileProblem(error), undefined, error);
  });
