import { encodePng, type Raster } from "./decode.ts";

const ESC = "\u001b";

/** The cells that a picture takes, and the pixels that are sent of each. */
export interface Grid {
  readonly columns: number;
  readonly rows: number;
  readonly cellWidth: number;
  readonly cellHeight: number;
}

/** Two pixels per cell, the upper one as the colour of a half block, the lower one as its background. */
export function blockRows(raster: Raster, { columns, rows }: Grid): string[] {
  const { width, pixels } = raster;
  const colour = (x: number, y: number) => {
    const at = (y * width + x) * 4;
    return `${pixels[at]};${pixels[at + 1]};${pixels[at + 2]}`;
  };
  return Array.from({ length: rows }, (_, row) => {
    // Joined, because a string built by appending takes several times its length in memory.
    const parts: string[] = [];
    let last = "";
    for (let column = 0; column < columns; column++) {
      const look = `${ESC}[38;2;${colour(column, 2 * row)};48;2;${colour(column, 2 * row + 1)}m`;
      parts.push(look === last ? "▀" : `${look}▀`);
      last = look;
    }
    return [...parts, `${ESC}[39;49m`].join("");
  });
}

/**
 * A sixel image per row. A free row is made below it first, since the last band of six pixels may reach into that row and
 * scroll the screen. The cursor is moved to the end of the image, because terminals differ in where they leave it.
 */
export async function sixelRows(raster: Raster, { columns, rows, cellHeight }: Grid): Promise<string[]> {
  const { image2sixel } = await import("sixel/lib/SixelEncoder");
  const length = raster.width * cellHeight * 4;
  const lines: string[] = [];
  for (let row = 0; row < rows; row++) {
    const pixels = Uint8Array.from(raster.pixels.subarray(row * length, (row + 1) * length));
    const image = image2sixel(pixels, raster.width, cellHeight, 128, 1).replaceAll("\n", "");
    lines.push(`${ESC}D${ESC}[A${ESC}7${image}${ESC}8${ESC}[${columns}C`);
    // Encoding a row takes some milliseconds: keys are read in between.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return lines;
}

/**
 * An image of kitty's graphics protocol per row, shown through Unicode placeholders: cells of text that the terminal
 * replaces by the image, so that they scroll and are erased as text is.
 *
 * @param nextId returns the id of an image, 24 bits
 */
export async function kittyRows(raster: Raster, grid: Grid, nextId: () => number): Promise<string[]> {
  const { columns, rows, cellHeight } = grid;
  const lines: string[] = [];
  for (let row = 0; row < rows; row++) {
    const png = await encodePng(raster, row * cellHeight, cellHeight);
    const id = nextId();
    const keys = `a=T,U=1,q=2,f=100,i=${id},c=${columns},r=1`;
    const colour = [id >> 16, (id >> 8) & 255, id & 255].join(";");
    // The first cell names row 0 and column 0 of the image; the cells after it count on.
    const cells = `\u{10eeee}\u0305\u0305${"\u{10eeee}".repeat(columns - 1)}`;
    lines.push(`${transmission(keys, png)}${ESC}[38;2;${colour}m${cells}${ESC}[39m`);
  }
  return lines;
}

/** The protocol takes at most 4096 characters of data at a time. */
function transmission(keys: string, data: Uint8Array): string {
  const chunks =
    Buffer.from(data)
      .toString("base64")
      .match(/.{1,4096}/g) ?? [];
  return chunks
    .map((chunk, index) => {
      const more = `m=${index < chunks.length - 1 ? 1 : 0}`;
      return `${ESC}_G${index === 0 ? `${keys},${more}` : `q=2,${more}`};${chunk}${ESC}\\`;
    })
    .join("");
}
