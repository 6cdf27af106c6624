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

/** The files of the page itself, by name: read at once, since an update replaces them while a server runs. */
export async function readAssets(): Promise<ReadonlyMap<string, WireAnswer>> {
  const assets = new Map<string, WireAnswer>();
  for (const [name, type] of Object.entries(types)) {
    const headers = {
      "content-type": type,
      "cache-control": "no-cache",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; connect-src 'self'",
    };
    assets.set(name, { status: 200, headers, body: await readFile(join(folder(), name)) });
  }
  return assets;
}
