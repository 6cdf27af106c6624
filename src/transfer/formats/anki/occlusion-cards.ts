import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { contentTypeOf } from "../../../cards/content-type.ts";
import { joinSides } from "../../../cards/sides.ts";
import { limits } from "../../limits.ts";
import { mediaLink } from "../../media.ts";
import type { Skip, SourceAttachment } from "../../model.ts";
import type { HtmlConverter } from "./html.ts";
import type { AnkiMedia } from "./media.ts";
import type { Note } from "./note.ts";
import {
  hasOcclusions,
  maskedPicture,
  masksOf,
  type OcclusionFields,
  type PictureSize,
  pictureSize,
  readMasks,
} from "./occlusion.ts";

const largestOverlay = 16 * 1024 * 1024;

/** Makes image occlusion cards: the picture under its masks, then the picture. */
export class Occlusions {
  readonly #media: AnkiMedia;
  readonly #converter: HtmlConverter;
  readonly #sizes = new Map<string, PictureSize | undefined>();

  constructor(media: AnkiMedia, converter: HtmlConverter) {
    this.#media = media;
    this.#converter = converter;
  }

  /**
   * @param number of the card, from 1
   * @returns undefined if there is no picture, which is reported
   */
  async card(
    note: Note,
    fields: OcclusionFields,
    number: number,
    place: string,
    skip: Skip,
  ): Promise<{ content: string; file: SourceAttachment } | undefined> {
    const file = this.#pictureIn(note.html[fields.picture]);
    const size = file && (await this.#sizeOf(file));
    const open = file && size && this.#question(note.html[fields.masks] ?? "", number, file, size);
    if (open === undefined) {
      const why = size === undefined ? "their picture is missing or cannot be read" : "they have no mask";
      skip({ place, what: "image occlusion cards", why });
      return undefined;
    }
    const fileName = `occlusion${number}.svg`;
    const texts = (indexes: readonly number[]) => indexes.map((index) => note.value({ index }));
    const sides = [
      [...texts(fields.front), `![](${mediaLink(fileName)})`],
      texts([fields.picture, ...fields.back]),
    ];
    return {
      content: joinSides(sides.map((parts) => parts.filter((part) => part !== "").join("\n\n"))),
      file: { fileName, type: "image/svg+xml", open, place },
    };
  }

  #question(
    masks: string,
    number: number,
    file: SourceAttachment,
    size: PictureSize,
  ): SourceAttachment["open"] | undefined {
    const type = contentTypeOf(file.fileName);
    if (hasOcclusions(masks)) {
      const shapes = readMasks(masks);
      if (!shapes.some((mask) => mask.number === number)) return undefined;
      const drawn = masksOf(shapes, number, size);
      return async () => Readable.from(maskedPicture(drawn, size, type, await file.open()));
    }
    const overlay = this.#pictureIn(masks);
    if (overlay === undefined || (overlay.size ?? 0) > Math.min(largestOverlay, limits.mediaBytes))
      return undefined;
    return async () => {
      const data = `data:${contentTypeOf(overlay.fileName)};base64,${(await buffer(await overlay.open())).toString("base64")}`;
      const drawn = `<image width="${size.width}" height="${size.height}" href="${data}"/>`;
      return Readable.from(maskedPicture(drawn, size, type, await file.open()));
    };
  }

  #pictureIn(html = ""): SourceAttachment | undefined {
    const [name] = this.#converter.convert(html).media;
    return name === undefined ? undefined : this.#media.get(name);
  }

  async #sizeOf(file: SourceAttachment): Promise<PictureSize | undefined> {
    if (!this.#sizes.has(file.fileName)) this.#sizes.set(file.fileName, await pictureSize(await file.open()));
    return this.#sizes.get(file.fileName);
  }
}
