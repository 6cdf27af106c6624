import { existsSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { freeName } from "./safe-names.ts";

/** An instant as part of a file name: `20261122T163700Z`. @param now epoch milliseconds */
const fileInstant = (now: number): string => new Date(now).toISOString().replace(/[-:]|\.\d+/g, "");

/** `cards.tar` → `cards-20261122T163700Z.tar` */
export function datedName(path: string, now: number): string {
  const extension = extname(path);
  return join(dirname(path), `${basename(path, extension)}-${fileInstant(now)}${extension}`);
}

/** A folder that does not exist yet, for what a repair or a restored backup takes out of a data folder. */
export function setAsideFolder(data: string, now: number): string {
  return freeName(join(data, "set-aside", fileInstant(now)), existsSync);
}
