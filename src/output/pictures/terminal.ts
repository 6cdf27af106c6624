import type { Size } from "./decode.ts";

type PictureProtocol = "kitty" | "sixel" | "blocks";

/** How pictures are drawn on a terminal. */
export interface PictureTerminal {
  readonly protocol: PictureProtocol;
  /** The size of a character cell, in pixels. */
  readonly cell: Size;
}

interface AskSettings {
  /** The setting `review.pictures`. */
  readonly pictures: "auto" | "off" | PictureProtocol;
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream & {
    readonly isTTY?: boolean;
  };
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A terminal that answers no question about its cells has cells of this size, about. */
const usualCell: Size = { width: 10, height: 20 };

/** In milliseconds. Nearly every terminal answers at once; a late answer would be read as keys. */
const patience = 1000;

/**
 * Which protocol the terminal has for pictures, and the size of its cells. Asks the terminal itself: call it before
 * anything else reads stdin. Keys typed meanwhile are put back.
 *
 * @returns undefined if pictures are off, stdout is not a terminal, or the terminal has no way to show them
 */
export async function askPictureTerminal(settings: AskSettings): Promise<PictureTerminal | undefined> {
  const { pictures, env, stdout } = settings;
  if (pictures === "off" || stdout.isTTY !== true || env["TERM"] === "dumb") return undefined;
  if (pictures === "blocks") return { protocol: "blocks", cell: usualCell };
  const answers = await askTerminal(settings);
  const cell = cellSize(answers);
  const protocol = pictures === "auto" ? bestProtocol(answers, cell, env) : pictures;
  return protocol && { protocol, cell: cell ?? usualCell };
}

/** Asks for the terminal's name, the size of a cell and, last because every terminal answers it, what it can do. */
const questions = "\u001b[>q\u001b[16t\u001b[c";
const attributes = /\u001b\[\?([\d;]*)c/;
const answer = /\u001b\[\?[\d;]*c|\u001b\[6;\d+;\d+t|\u001bP>\|[^\u001b]*\u001b\\/g;

/** What the terminal answers; "" if stdin is not a terminal. */
async function askTerminal({ stdin, stdout }: AskSettings): Promise<string> {
  const input = stdin as NodeJS.ReadStream;
  if (input.isTTY !== true) return "";
  const wasRaw = input.isRaw;
  let read = "";
  input.setRawMode(true);
  await new Promise<void>((resolve) => {
    const timer = setTimeout(finish, patience);
    function finish() {
      clearTimeout(timer);
      input.off("data", take);
      input.pause();
      resolve();
    }
    function take(chunk: Buffer | string) {
      read += chunk.toString("latin1" as BufferEncoding);
      if (attributes.test(read)) finish();
    }
    input.on("data", take);
    input.resume();
    stdout.write(questions);
  });
  input.setRawMode(wasRaw);
  const typed = read.replace(answer, "");
  if (typed !== "") input.unshift(Buffer.from(typed, "latin1"));
  return read;
}

/** The best protocol of a terminal by its answers. Sixel needs the size of a cell: a slice must fill its row exactly. */
export function bestProtocol(
  answers: string,
  cell: Size | undefined,
  env: AskSettings["env"],
): PictureProtocol | undefined {
  if (hasPlaceholders(answers)) return "kitty";
  if (cell && attributes.exec(answers)?.[1]?.split(";").includes("4")) return "sixel";
  return /^(?:truecolor|24bit)$/.test(env["COLORTERM"] ?? "") ? "blocks" : undefined;
}

/** Whether the terminal knows kitty's Unicode placeholders: kitty since 0.28, and Ghostty. */
function hasPlaceholders(answers: string): boolean {
  const kitty = />\|kitty\((\d+)\.(\d+)/.exec(answers);
  if (kitty) return Number(kitty[1]) > 0 || Number(kitty[2]) >= 28;
  return />\|ghostty/i.test(answers);
}

/** The size of a cell, as the terminal answers; undefined if there is no answer or it is not credible. */
export function cellSize(answers: string): Size | undefined {
  const [, height, width] = (/\u001b\[6;(\d{1,4});(\d{1,4})t/.exec(answers) ?? []).map(Number);
  if (width === undefined || height === undefined) return undefined;
  return width >= 2 && width <= 100 && height >= 4 && height <= 200 ? { width, height } : undefined;
}
