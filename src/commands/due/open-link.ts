import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { mkdir } from "node:fs/promises";
import { delimiter, extname, join } from "node:path";
import type { CardLink } from "../../cards/links.ts";
import type { Context } from "../../context/context.ts";
import { DeckhandError } from "../../errors.ts";
import { saveStream } from "../attach/save.ts";

/** Opens what a card links to, and says what was done. A web address or an attachment of a kind that only shows. */
export async function openLink(cardId: string, link: CardLink, context: Context): Promise<string> {
  if (link.kind === "link")
    return (await launch(link.target, context)) ? `Opened ${link.target}` : link.target;
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
  const { attachments, service } = await context.client();
  if (!(await service.has("attachment-download")))
    throw new DeckhandError("refused", "This service has no way to fetch attachments.");
  const folder = join(context.folders.cache, "attachments", safe(cardId));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, safe(name));
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

/** Players that are looked for where `review.player` is not set, with what makes each play a file and end silently. */
const players: readonly (readonly string[])[] = [
  ["mpv", "--no-video", "--really-quiet"],
  ["ffplay", "-nodisp", "-autoexit", "-loglevel", "quiet"],
  ["afplay"],
  ["paplay"],
];

/** Plays the sounds of cards: one after the other, and only one card's at a time. */
export class SoundPlayer {
  readonly #context: Context;
  #playing: ChildProcess | undefined;
  /** Counts the calls of `play` and `silence`: an earlier one does not go on after a later one. */
  #turn = 0;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Resolves when the first sound plays. @returns a message if it cannot be played */
  async play(cardId: string, files: readonly string[]): Promise<string | undefined> {
    this.silence();
    const turn = ++this.#turn;
    const player = this.#player();
    if (player === undefined)
      return "No player found: install mpv, or name one with `deckhand config set review.player`.";
    const paths: string[] = [];
    for (const file of files) paths.push(await fetchAttachment(cardId, file, this.#context));
    return this.#start(player, paths, turn);
  }

  silence(): void {
    this.#turn++;
    this.#playing?.kill();
    this.#playing = undefined;
  }

  #start(player: readonly string[], paths: readonly string[], turn: number): Promise<string | undefined> {
    const [path, ...others] = paths;
    const [command, ...args] = player;
    if (path === undefined || command === undefined || turn !== this.#turn) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      // An absolute path after the options cannot be taken for an option itself.
      const child = spawn(command, [...args, path], { stdio: "ignore" });
      this.#playing = child;
      child
        .on("spawn", () => resolve(undefined))
        .on("error", (error) => resolve(`Cannot play ${extname(path)} with ${command}: ${error.message}`))
        .on("close", (code) => {
          if (code === 0) void this.#start(player, others, turn);
        });
    });
  }

  #player(): readonly string[] | undefined {
    const configured = this.#context.settings()["review.player"].value;
    if (configured !== undefined) return configured.split(/\s+/);
    const folders = (this.#context.world.env["PATH"] ?? "").split(delimiter);
    const suffix = this.#context.world.platform === "win32" ? ".exe" : "";
    return players.find(([name]) => folders.some((folder) => isProgram(join(folder, `${name}${suffix}`))));
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
