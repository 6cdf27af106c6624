import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The Chromium of this machine; undefined where there is none. */
export const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  (path) => existsSync(path),
);

export interface Opened {
  /** The page as PNG, or as PDF where it was printed. */
  readonly picture: Buffer;
  /** What Chromium logged: requests that were refused, errors of the page. */
  readonly log: string;
}

/** Opens a file in a headless Chromium without a network; takes a picture of it, or prints it with the flag `--print`. */
export async function openPage(
  file: string,
  size: { width: number; height: number },
  flags: readonly string[] = [],
): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), "deckhand-chromium-"));
  try {
    const [png, pdf] = [join(folder, "page.png"), join(folder, "page.pdf")];
    const paper = flags.includes("--print");
    const args = [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--proxy-server=127.0.0.1:1",
      "--enable-logging=stderr",
      `--user-data-dir=${join(folder, "profile")}`,
      paper ? `--print-to-pdf=${pdf}` : `--screenshot=${png}`,
      `--window-size=${size.width},${size.height}`,
      ...flags.filter((flag) => flag !== "--print"),
      `file://${file}`,
    ];
    const log = await new Promise<string>((done, failed) => {
      execFile(chromium ?? "", args, { timeout: 60_000 }, (error, _, stderr) =>
        error ? failed(error) : done(stderr),
      );
    });
    return { picture: readFileSync(paper ? pdf : png), log };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}
