import { InvalidArgumentError } from "commander";

/** Option values are checked when they are parsed: what is wrong with one is told with its option's name. */
export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER) {
  return (text: string): number => {
    const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number${rangeFor(value, min, max)}.`);
  };
}

/** What the range is, as far as it is not that of numbers at all. */
function rangeFor(value: number, min: number, max: number): string {
  if (max < Number.MAX_SAFE_INTEGER) return ` from ${min} to ${max}`;
  if (value > max) return ` of at most ${max}`;
  return min > Number.MIN_SAFE_INTEGER || value < min ? ` of at least ${min}` : "";
}

/** Any whole number, negative ones too. */
export const integer = wholeNumber(Number.MIN_SAFE_INTEGER);

/** For options that may be given several times. */
export const collect = (value: string, previous: readonly string[] | undefined): readonly string[] => [
  ...(previous ?? []),
  value,
];

/** The same for tags, of which one value may hold several: a comma ends a tag, as for the labels of other programs. */
export const collectTags = (value: string, previous: readonly string[] | undefined): readonly string[] => [
  ...(previous ?? []),
  ...value.split(","),
];

/** Splits `name=value` at the first `=`. */
export function assignment(text: string, option: string): readonly [name: string, value: string] {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidArgumentError(`${option} takes <name>=<value>, not ${JSON.stringify(text)}.`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** A value as it is meant: `true`, `false`, `null` and numbers are these, everything else is text. */
export function typedValue(text: string): string | number | boolean | null {
  if (text === "true" || text === "false") return text === "true";
  if (text === "null") return null;
  // As JSON has numbers: 007 and 0x10 are text. What a number cannot hold exactly stays text, too.
  if (!/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return text;
  const value = Number(text);
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value)) ? value : text;
}
