import type { Skip } from "../../model.ts";
import { convertClozes } from "./cloze.ts";
import type { NoteType } from "./collection.ts";
import type { HtmlConverter } from "./html.ts";
import { hasOcclusions } from "./occlusion.ts";
import type { FieldSource } from "./placeholders.ts";

/** A note's fields as markdown: converted once for all its cards. */
export interface Note {
  /** The fields as Anki stores them. */
  readonly html: readonly string[];
  /** The media files that the fields show or play. */
  readonly media: readonly string[];
  /** The value of a field of a template. */
  value(source: FieldSource): string;
}

/** A word with its reading in brackets, as `{{furigana:}}` reads it; a blank before it separates it from other text. */
const reading = / ?([^\s<>[\]{}:]{1,50})\[([^\]<>\n:]{1,50})\]/g;

/**
 * @param text the fields, joined by the control character 1F
 * @param furigana the fields that have readings in brackets
 */
export function convertNote(
  text: string,
  converter: HtmlConverter,
  { cloze }: NoteType,
  furigana: ReadonlySet<number> | undefined,
  place: string,
  skip: Skip,
): Note {
  const html = text.split("\x1f");
  const media = new Set<string>();
  const dropped = new Set<string>();
  const convert = (field: string) => {
    const source = cloze ? convertClozes(field, (markdown) => converter.keep(markdown)) : field;
    const converted = converter.convert(source);
    for (const name of converted.media) media.add(name);
    for (const what of converted.dropped) dropped.add(what);
    return converted.markdown;
  };
  const fields = html.map((field, index) => {
    if (hasOcclusions(field)) return "";
    return convert(furigana?.has(index) ? field.replace(reading, "<ruby>$1<rt>$2</rt></ruby>") : field);
  });
  for (const what of dropped) skip({ place, what, why: "cards are markdown" });
  return {
    html,
    media: [...media],
    value({ index, filter }) {
      if (filter === undefined) return fields[index] ?? "";
      const plain = (html[index] ?? "").replaceAll("&nbsp;", " ");
      return convert(
        filter === "text"
          ? plain.replace(/<[^<>]*>/g, " ").replace(/ {2,}/g, " ")
          : plain.replace(reading, filter === "kana" ? "$2" : "$1"),
      );
    },
  };
}
