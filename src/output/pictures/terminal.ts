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
    readonly columns?: number;
    readonly rows?: number;
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
  const cell = cellSize(answers, stdout.columns ?? 0, stdout.rows ?? 0);
  const protocol = pictures === "auto" ? bestProtocol(answers, cell, env) : pictures;
  return protocol && { protocol, cell: cell ?? usualCell };
}

/**
 * Asks for the terminal's name, the size of a cell, the size and largest size of its graphics (xterm keeps the first two
 * from programs by default) and, last because every terminal answers it, what it can do.
 */
const questions = "\u001b[>q\u001b[16t\u001b[?2;1;0S\u001b[?2;4;0S\u001b[c";
const attributes = /\u001b\[\?([\d;]*)c/;
const answer = /\u001b\[\?[\d;]*c|\u001b\[6;\d+;\d+t|\u001b\[\?2;[\d;]*S|\u001bP>\|[^\u001b]*\u001b\\/g;

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

/**
 * The size of a cell by the terminal's answers: its own, or the size of its graphics, which is that of the text, at most
 * the largest. The height must be exact, since slices are put below each other; the width may be too small. Undefined if
 * there is no answer or it is not credible.
 */
export function cellSize(answers: string, columns: number, rows: number): Size | undefined {
  const cell = /\u001b\[6;(\d{1,4});(\d{1,4})t/.exec(answers);
  if (cell) return credible(Number(cell[2]), Number(cell[1]));
  const [now, most] = [...answers.matchAll(/\u001b\[\?2;0;(\d{1,5});(\d{1,5})S/g)];
  const [width, height] = [Number(now?.[1]), Number(now?.[2])];
  if (!(height < Number(most?.[2]))) return undefined;
  return credible(width < Number(most?.[1]) ? width / columns : Math.floor(width / columns), height / rows);
}

function credible(width: number, height: number): Size | undefined {
  const whole = Number.isInteger(width) && Number.isInteger(height);
  return whole && width >= 2 && width <= 100 && height >= 4 && height <= 200 ? { width, height } : undefined;
}
