import { spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { extname, join } from "node:path";
import type { CardLink } from "../../cards/links.ts";
import type { Context } from "../../context/context.ts";
import { saveStream } from "../attach/save.ts";

/** Opens what a card links to, and says what was done. A web address or an attachment of a kind that only shows. */
export async function openLink(cardId: string, link: CardLink, context: Context): Promise<string> {
  if (link.kind === "link")
    return (await launch(link.target, context)) ? `Opened ${link.target}` : link.target;
  if (!(await (await context.client()).service.has("attachment-download")))
    return "This service has no way to fetch attachments.";
  const path = await fetchAttachment(cardId, link.target, context);
  // Anything else could be a program.
  if (shown.has(extname(path).toLowerCase()) && (await launch(path, context))) return `Opened ${link.target}`;
  return `Saved as ${path}`;
}

/** Files that programs show, play or read, and do not run. */
const shown: ReadonlySet<string> = new Set(
  ".png .jpg .jpeg .gif .webp .avif .bmp .tif .tiff .heic .mp3 .ogg .oga .opus .m4a .wav .flac .mp4 .m4v .webm .mov .mkv .pdf .txt".split(
    " ",
  ),
);

/** Saves an attachment in the cache. @returns its absolute path */
export async function fetchAttachment(cardId: string, name: string, context: Context): Promise<string> {
  const folder = join(context.folders.cache, "attachments", safe(cardId));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, safe(name));
  const { attachments } = await context.client();
  await attachments.fetchListed(cardId, name, ({ body }) => saveStream(body, path, { replace: true }));
  return path;
}

/** A name that no system takes for anything but a file in the folder, and no shell for two words. */
const safe = (name: string): string =>
  name
    .replace(/[^\p{L}\p{N}._-]/gu, "_")
    .replace(/^[.-]/, "_")
    .slice(-100);

/** Hands something to the desktop's own opener, which is not waited for; false where there is none. */
export async function launch(target: string, { world: { env, platform } }: Context): Promise<boolean> {
  const [command, ...args] = openerOf(platform, env);
  if (command === undefined) return false;
  const child = spawn(command, [...args, target], { stdio: "ignore", detached: true });
  child.unref();
  return new Promise((resolve) => {
    child.on("spawn", () => resolve(true)).on("error", () => resolve(false));
  });
}

function openerOf(platform: string, env: Readonly<Record<string, string | undefined>>): string[] {
  if (platform === "darwin") return ["open"];
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  const desktop = env["DISPLAY"] || env["WAYLAND_DISPLAY"] || env["BROWSER"];
  return desktop ? ["xdg-open"] : [];
}
