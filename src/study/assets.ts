import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { WireAnswer } from "../schema/index.ts";

const types: Readonly<Record<string, string>> = {
  "page.js": "text/javascript; charset=utf-8",
  "page.css": "text/css; charset=utf-8",
  "icon.svg": "image/svg+xml",
  "icon.png": "image/png",
  "manifest.webmanifest": "application/manifest+json",
};

/** The build puts them beside the chunks of the program; from its sources it takes those of the last build. */
const folder = (): string =>
  basename(__dirname) === "study" ? join(__dirname, "../../dist/study") : join(__dirname, "../study");

const read = new Map<string, Promise<Buffer>>();

/** A file of the page itself: the same for everybody. @returns undefined for any other name */
export async function asset(name: string): Promise<WireAnswer | undefined> {
  const type = Object.hasOwn(types, name) ? types[name] : undefined;
  if (type === undefined) return undefined;
  const content = read.get(name) ?? readFile(join(folder(), name));
  read.set(name, content);
  const headers = {
    "content-type": type,
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; connect-src 'self'",
  };
  return { status: 200, headers, body: await content };
}

/** Reads them all: an update replaces the files of the program while a server runs. */
export async function preloadAssets(): Promise<void> {
  await Promise.all(Object.keys(types).map(asset));
}
