import type { Sharp } from "sharp";

/** A picture as pixels, four bytes (red, green, blue, 255) each, row by row. */
export interface Raster {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The largest file that is decoded, in bytes. */
export const maxBytes = 10 * 1024 * 1024;
/** The largest picture that is decoded: three times what a phone's camera takes. Read from the header, before decoding. */
const maxPixels = 40_000_000;
/** What a terminal's card needs. Anything else that libvips reads (PDF, TIFF, …) is refused. */
const formats: ReadonlySet<string> = new Set(["png", "jpeg", "webp", "gif", "svg"]);

/**
 * Decodes a picture at the size that `sizeFor` returns for its own size. Takes the first frame of an animation, turns a photo
 * upright, and puts transparent pictures on white, the paper that they were drawn for.
 *
 * @returns undefined if the file is damaged, too large or of another format, or if sharp is not installed
 */
export async function decodePicture(
  bytes: Uint8Array,
  sizeFor: (natural: Size) => Size,
): Promise<Raster | undefined> {
  if (bytes.length === 0 || bytes.length > maxBytes) return undefined;
  try {
    const open = await loadSharp();
    const { format, autoOrient } = await open(bytes).metadata();
    if (!formats.has(format) || autoOrient.width * autoOrient.height > maxPixels) return undefined;
    const { width, height } = sizeFor(autoOrient);
    const pixels = await open(bytes)
      .autoOrient()
      .resize(width, height, { fit: "fill" })
      .flatten({ background: "#ffffff" })
      .toColourspace("srgb")
      .ensureAlpha()
      .raw()
      .toBuffer();
    return pixels.length === width * height * 4 ? { width, height, pixels } : undefined;
  } catch {
    // Not a picture, or damaged, or there is no sharp. The card shows its label instead.
    return undefined;
  }
}

/** Some rows of a raster as a PNG file. */
export async function encodePng({ width, pixels }: Raster, top: number, height: number): Promise<Uint8Array> {
  const open = await loadSharp();
  const rows = pixels.subarray(top * width * 4, (top + height) * width * 4);
  return open(rows, { raw: { width, height, channels: 4 } })
    .removeAlpha()
    .png({ compressionLevel: 9 })
    .toBuffer();
}

type Open = (bytes: Uint8Array, options?: import("sharp").SharpOptions) => Sharp;

/** Loads sharp, an optional dependency that takes 110 to 150 ms to load. @throws where it is not installed */
async function loadSharp(): Promise<Open> {
  const { default: sharp } = await import("sharp");
  sharp.cache(false);
  sharp.concurrency(1);
  return (bytes, options) => sharp(bytes, { limitInputPixels: maxPixels, failOn: "error", ...options });
}
