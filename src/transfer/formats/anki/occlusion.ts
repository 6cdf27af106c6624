import type { Readable } from "node:stream";
import { limits } from "../../limits.ts";
import type { NoteType } from "./collection.ts";

/** Which fields of an image occlusion note are what, by their indexes. */
export interface OcclusionFields {
  /** The shapes, or a picture of them. */
  readonly masks: number;
  readonly picture: number;
  /** Shown with the question, and with the answer. */
  readonly front: readonly number[];
  readonly back: readonly number[];
}

/**
 * The fields of a note type for image occlusion: Anki's own, whose first field holds shapes, or that of the add-on Image
 * Occlusion Enhanced, whose masks are SVG files. Anki's own is known by its notes only.
 *
 * @param hasShapes whether a note of the type has shapes
 */
export function occlusionFields(
  { fields, cloze }: NoteType,
  hasShapes: boolean,
): OcclusionFields | undefined {
  const at = (...names: readonly string[]) =>
    names.map((name) => fields.indexOf(name)).filter((index) => index >= 0);
  const [[masks], [picture]] = [at("Question Mask"), at("Image")];
  if (masks !== undefined && picture !== undefined && fields.includes("Original Mask"))
    return {
      masks,
      picture,
      front: at("Header", "Footer"),
      back: at("Remarks", "Sources", "Extra 1", "Extra 2"),
    };
  if (!hasShapes || !cloze) return undefined;
  return { masks: 0, picture: 1, front: [2], back: [...fields.keys()].slice(3) };
}

/** A shape that hides a part of a picture; lengths are in parts of its sides. */
interface Mask {
  /** The number of the deletion; 0 for shapes that belong to no card. */
  readonly number: number;
  readonly shape: string;
  readonly values: ReadonlyMap<string, string>;
}

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

const occlusion = /\{\{c(\d{1,4})::image-occlusion:([^{}]{1,20000})\}\}/g;

export const hasOcclusions = (field: string): boolean => field.includes("::image-occlusion:");

/** The shapes that a field of an image occlusion note describes: `rect:left=.1:top=.2:width=.3:height=.4:oi=1`. */
export function readMasks(field: string): Mask[] {
  return [...field.matchAll(occlusion)].map(([, number = "0", description = ""]) => {
    const [shape = "", ...pairs] = description.split("::", 1)[0]?.split(":") ?? [];
    const values = pairs.map((pair): [string, string] => {
      const at = pair.indexOf("=");
      return [pair.slice(0, at), pair.slice(at + 1)];
    });
    return { number: Number(number), shape, values: new Map(values) };
  });
}

const asked = "#ff8e8e";
const other = "#ffeba2";

/**
 * The masks of one of a note's cards as SVG.
 *
 * @param number of the card, from 1: its masks are drawn in another colour; those of other cards are drawn where the note
 * hides all of them
 */
export function masksOf(masks: readonly Mask[], number: number, size: PictureSize): string {
  const shapes = masks.flatMap((mask) => {
    const hidden = mask.number === number || mask.number === 0 || mask.values.get("oi") === "1";
    return hidden ? [drawn(mask, size, mask.number === number ? asked : other)] : [];
  });
  return `<g stroke="#212121">${shapes.join("")}</g>`;
}

/**
 * An SVG picture that holds the picture of a note under masks, in pieces, since the picture may be large. It is embedded,
 * since a picture inside a page may not load others.
 *
 * @param masks SVG
 * @param type of the picture
 */
export async function* maskedPicture(
  masks: string,
  { width, height }: PictureSize,
  type: string,
  picture: Readable,
): AsyncGenerator<Buffer> {
  const box = `width="${width}" height="${height}"`;
  yield Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" ${box} viewBox="0 0 ${width} ${height}"><image ${box} href="data:${type};base64,`,
  );
  let rest = Buffer.alloc(0);
  for await (const chunk of picture) {
    const bytes = Buffer.concat([rest, chunk as Buffer]);
    const whole = bytes.length - (bytes.length % 3);
    rest = bytes.subarray(whole);
    yield Buffer.from(bytes.toString("base64", 0, whole));
  }
  yield Buffer.from(`${rest.toString("base64")}"/>${masks}</svg>\n`);
}

function drawn({ shape, values }: Mask, { width, height }: PictureSize, colour: string): string {
  const number = (name: string, side: number) => {
    const value = Number(values.get(name) ?? 0);
    return Number.isFinite(value) ? round(value * side) : 0;
  };
  const [left, top] = [number("left", width), number("top", height)];
  const turned = number("angle", 1);
  const turn = turned ? ` transform="rotate(${turned} ${left} ${top})"` : "";
  switch (shape) {
    case "rect":
      return `<rect x="${left}" y="${top}" width="${number("width", width)}" height="${number("height", height)}" fill="${colour}"${turn}/>`;
    case "ellipse": {
      const [rx, ry] = [number("rx", width), number("ry", height)];
      return `<ellipse cx="${round(left + rx)}" cy="${round(top + ry)}" rx="${rx}" ry="${ry}" fill="${colour}"${turn}/>`;
    }
    case "polygon": {
      const points = [...(values.get("points") ?? "").matchAll(/(-?[\d.]+),(-?[\d.]+)/g)].map(
        ([, x, y]) => `${round(Number(x) * width)},${round(Number(y) * height)}`,
      );
      return `<polygon points="${points.join(" ")}" fill="${colour}"/>`;
    }
    case "text": {
      const size = number("fs", height) || round(0.055 * height);
      const text = (values.get("text") ?? "").replace(/[<>&]/g, " ");
      return `<text x="${left}" y="${round(top + size)}" font-size="${size}" stroke="none">${text}</text>`;
    }
    default:
      return "";
  }
}

const round = (value: number) => Math.round(value * 100) / 100;

/** The size of a picture by its first bytes; undefined for what is not a picture. */
export async function pictureSize(bytes: Readable): Promise<PictureSize | undefined> {
  const { imageSize } = await import("image-size");
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of bytes) {
    parts.push(part as Buffer);
    length += (part as Buffer).length;
    // The size of a JPEG comes after its metadata, which may hold a preview.
    if (length > mostOfPicture) break;
  }
  try {
    const { width, height, orientation = 1 } = imageSize(Buffer.concat(parts));
    return orientation > 4 ? { width: height, height: width } : { width, height };
  } catch {
    return undefined;
  }
}

const mostOfPicture = Math.min(1024 * 1024, limits.mediaBytes);
