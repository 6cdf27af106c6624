import { splitSides } from "../../cards/index.ts";
import { cut } from "../../output/width.ts";
import type { SourceCard } from "../../transfer/model.ts";

const columns = 50;

/** How the first card of a source is read, so that the plan shows which side is which. */
export function sampleLine({ body: { content, fields } }: SourceCard): string {
  const sides = content.trim() === "" ? [] : splitSides(content).map(shown);
  const [front, back, ...more] = sides;
  const values = Object.values(fields ?? {}).map((field) => shown(field.value ?? ""));
  const parts = [
    ...(front === undefined ? [] : [`front: ${front}`]),
    ...(back === undefined ? [] : [`back: ${back}`]),
    ...(more.length === 0 ? [] : [`${more.length} more`]),
    ...(values.length === 0 ? [] : [`fields: ${values.join(" | ")}`]),
  ];
  return `The first card: ${cut(parts.join(", "), 3 * columns)}`;
}

const shown = (text: string) => cut(text.replace(/\s+/g, " ").trim(), columns);
