import { decodePicture, type Size } from "./decode.ts";
import { blockRows, type Grid, kittyRows, sixelRows } from "./encode.ts";
import type { PictureTerminal } from "./terminal.ts";

export { askPictureTerminal, type PictureTerminal } from "./terminal.ts";

/**
 * A picture as rows of text. Each row carries its own slice of the picture and resets what it changes, so that rows can
 * be printed in any order, scrolled, compared and erased as rows of text are.
 */
export interface PictureRows {
  /** The width of every row. */
  readonly columns: number;
  readonly rows: readonly string[];
}

/** Fetches a picture's file, at most `maxBytes`; undefined if it cannot be fetched. */
type LoadPicture = () => Promise<Uint8Array | undefined>;

interface PicturesOptions {
  /** The most rows of one picture, 24 by default. Asked at each drawing, because a terminal may be resized. */
  readonly maxRows?: (shrunk: boolean) => number;
  /** Called when a picture that `draw` did not have yet is ready (or cannot be shown): draw the card again. */
  readonly ready?: () => void;
}

/** How many drawn pictures and fetched files are kept; a file has at most 10 MiB, and few have a tenth of that. */
const [mostDrawn, mostFiles] = [40, 8];

/**
 * The pictures of one terminal. Fetching, decoding and encoding run in the background, one picture at a time.
 * `draw` returns at once: the rows if they are ready, else undefined, and the renderer prints the label. When they are
 * ready, `ready` is called and the card is rendered again. Where nothing is interactive, render, and while
 * `pictures.isPending`, `await pictures.settled()` and render again.
 */
export class Pictures {
  readonly #terminal: PictureTerminal;
  readonly #options: PicturesOptions;
  readonly #drawn = new Map<string, PictureRows | undefined>();
  readonly #files = new Map<string, Uint8Array>();
  readonly #pending = new Set<string>();
  #queue: Promise<void> = Promise.resolve();
  #images = 0;

  constructor(terminal: PictureTerminal, options: PicturesOptions = {}) {
    this.#terminal = terminal;
    this.#options = options;
  }

  /**
   * The rows of a picture that fit the columns, if they are ready; else undefined, and the picture is fetched and drawn in
   * the background. A picture that cannot be shown stays undefined.
   *
   * @param key names the file: the card's id and the file's name
   * @param shrunk whether it leaves room for what is below it
   */
  draw(key: string, columns: number, load: LoadPicture, shrunk = false): PictureRows | undefined {
    const box = { columns: Math.max(1, columns), rows: Math.max(1, this.#options.maxRows?.(shrunk) ?? 24) };
    const place = `${key}\n${box.columns}x${box.rows}`;
    if (this.#drawn.has(place)) return this.#drawn.get(place);
    if (!this.#pending.has(place)) {
      this.#pending.add(place);
      this.#queue = this.#queue.then(async () => {
        const rows = await this.#make(key, box, load).catch(() => undefined);
        this.#drawn.set(place, rows);
        bound(this.#drawn, mostDrawn);
        this.#pending.delete(place);
        this.#options.ready?.();
      });
    }
    return undefined;
  }

  /** Whether pictures that were asked for are not ready yet. */
  get isPending(): boolean {
    return this.#pending.size > 0;
  }

  /** Resolves when all pictures asked for so far are ready or cannot be shown. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) await this.#queue;
  }

  async #make(key: string, box: Box, load: LoadPicture): Promise<PictureRows | undefined> {
    const bytes = this.#files.get(key) ?? (await load());
    if (bytes === undefined) return undefined;
    this.#files.set(key, bytes);
    bound(this.#files, mostFiles);
    let grid: Grid | undefined;
    const raster = await decodePicture(bytes, (natural) => {
      grid = gridOf(natural, box, this.#terminal);
      return { width: grid.columns * grid.cellWidth, height: grid.rows * grid.cellHeight };
    });
    if (raster === undefined || grid === undefined) return undefined;
    const { protocol } = this.#terminal;
    if (protocol === "blocks") return { columns: grid.columns, rows: blockRows(raster, grid) };
    const rows = await (protocol === "sixel"
      ? sixelRows(raster, grid)
      : kittyRows(raster, grid, () => ((process.pid & 0xfff) << 12) | (++this.#images & 0xfff)));
    return { columns: grid.columns, rows };
  }
}

interface Box {
  readonly columns: number;
  readonly rows: number;
}

/** xterm draws no sixel image that is wider. */
const widestSixel = 1000;

/**
 * How many cells a picture takes: at most the box, at most its own size, in its own proportions. Half blocks show
 * a picture at twice the width and height, since a cell has only two of its pixels.
 */
function gridOf(natural: Size, box: Box, { protocol, cell }: PictureTerminal): Grid {
  const blocks = protocol === "blocks";
  const own: Size = blocks ? { width: cell.width / 2, height: cell.height / 2 } : cell;
  const most =
    protocol === "sixel" ? Math.min(box.columns, Math.floor(widestSixel / cell.width)) : box.columns;
  const scale = Math.min(1, (most * own.width) / natural.width, (box.rows * own.height) / natural.height);
  const cells = (length: number, size: number, limit: number) =>
    Math.max(1, Math.min(limit, Math.round((length * scale) / size)));
  return {
    columns: cells(natural.width, own.width, most),
    rows: cells(natural.height, own.height, box.rows),
    cellWidth: blocks ? 1 : cell.width,
    cellHeight: blocks ? 2 : cell.height,
  };
}

/** Removes the oldest entries but for so many. */
function bound(kept: Map<string, unknown>, most: number): void {
  for (const key of [...kept.keys()].slice(0, -most)) kept.delete(key);
}
