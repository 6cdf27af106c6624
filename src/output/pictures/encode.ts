import { FINALIZER, introducer, sixelEncode } from "sixel/lib/SixelEncoder";
import type { RGBColor } from "sixel/lib/Types";
import { encodePng, type Raster, reduceColours } from "./decode.ts";

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
  const colour = (x: number, y: number) =>
    raster.pixels
      .subarray((y * raster.width + x) * 3)
      .slice(0, 3)
      .join(";");
  return Array.from({ length: rows }, (_, row) => {
    let text = "";
    let last = "";
    for (let column = 0; column < columns; column++) {
      const look = `${ESC}[38;2;${colour(column, 2 * row)};48;2;${colour(column, 2 * row + 1)}m`;
      text += look === last ? "▀" : `${look}▀`;
      last = look;
    }
    return `${text}${ESC}[39;49m`;
  });
}

/**
 * A sixel image per row. A free row is made below it first, since the last band of six pixels may reach into that row and
 * scroll the screen. The cursor is moved to the end of the image, because terminals differ in where they leave it.
 */
export async function sixelRows(full: Raster, { columns, rows, cellHeight }: Grid): Promise<string[]> {
  const raster = await reduceColours(full);
  const lines: string[] = [];
  for (let row = 0; row < rows; row++) {
    const { pixels, palette } = opaque(raster, row * cellHeight, cellHeight);
    const image = `${introducer(1)}${sixelEncode(pixels, raster.width, cellHeight, palette)}${FINALIZER}`;
    lines.push(`${ESC}D${ESC}[A${ESC}7${image.replaceAll("\n", "")}${ESC}8${ESC}[${columns}C`);
    // Encoding a row takes some milliseconds: keys are read in between.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return lines;
}

/** Rows of a raster with four bytes per pixel, and their colours. */
function opaque({ width, pixels }: Raster, top: number, height: number) {
  const rgba = new Uint8Array(width * height * 4);
  const colours = new Set<number>();
  for (let pixel = 0; pixel < width * height; pixel++) {
    const [red = 0, green = 0, blue = 0] = pixels.subarray((top * width + pixel) * 3);
    rgba.set([red, green, blue, 255], pixel * 4);
    colours.add((red << 16) | (green << 8) | blue);
  }
  const palette = [...colours].map((colour): RGBColor => [colour >> 16, (colour >> 8) & 255, colour & 255]);
  return { pixels: rgba, palette };
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
