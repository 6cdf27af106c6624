import type { Skip } from "../../model.ts";
import { convertClozes } from "./cloze.ts";
import type { NoteType } from "./collection.ts";
import type { HtmlConverter } from "./html.ts";
import { hasOcclusions } from "./occlusion.ts";
import type { FieldSource } from "./placeholders.ts";
import type { ConvertedTemplate } from "./template.ts";

/** A note's fields as markdown: converted once for all its cards. */
export interface Note {
  /** The media files that the fields show or play. */
  readonly media: readonly string[];
  /** The value of a field of a template. */
  value(source: FieldSource): string;
}

/** A word with its reading in brackets, as `{{furigana:}}` reads it; a blank before it separates it from other text. */
const reading = / ?([^\s<>[\]{}:]{1,50})\[([^\]<>\n:]{1,50})\]/g;

/** @param text the fields as Anki stores them, joined by the control character 1F */
export function convertNote(
  text: string,
  converter: HtmlConverter,
  { cloze }: NoteType,
  { furigana }: ConvertedTemplate,
  place: string,
  skip: Skip,
): Note {
  const sources = text.split("\x1f").map((html) => (hasOcclusions(html) ? "" : html));
  const media = new Set<string>();
  const dropped = new Set<string>();
  const convert = (html: string) => {
    const source = cloze ? convertClozes(html, (markdown) => converter.keep(markdown)) : html;
    const converted = converter.convert(source);
    for (const name of converted.media) media.add(name);
    for (const what of converted.dropped) dropped.add(what);
    return converted.markdown;
  };
  const fields = sources.map((html, index) =>
    convert(furigana.has(index) ? html.replace(reading, "<ruby>$1<rt>$2</rt></ruby>") : html),
  );
  for (const what of dropped) skip({ place, what, why: "cards are markdown" });
  return {
    media: [...media],
    value({ index, filter }) {
      const html = (sources[index] ?? "").replaceAll("&nbsp;", " ");
      switch (filter) {
        case undefined:
          return fields[index] ?? "";
        case "kanji":
        case "kana":
          return convert(html.replace(reading, filter === "kana" ? "$2" : "$1"));
        case "text":
          return convert(html.replace(/<[^<>]*>/g, " ").replace(/ {2,}/g, " "));
        case "cloze-only":
          return ((fields[index] ?? "").match(/\{\{\d+::(?:[^{}]|\}(?!\}))*\}\}/g) ?? []).join(", ");
      }
    },
  };
}
