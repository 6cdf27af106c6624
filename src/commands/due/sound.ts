import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, extname, join } from "node:path";
import type { Context } from "../../context/context.ts";
import { fetchAttachment } from "./open-link.ts";

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
    if (!(await (await this.#context.client()).service.has("attachment-download")))
      return "This service has no way to fetch attachments.";
    const paths: string[] = [];
    for (const file of files) paths.push(await fetchAttachment(cardId, file, this.#context));
    return this.#start(player, paths, turn);
  }

  /** Stops what is playing. */
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
