import { InvalidArgumentError } from "commander";

/** Option values are checked when they are parsed: what is wrong with one is told with its option's name. */
export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER) {
  return (text: string): number => {
    const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
    throw new InvalidArgumentError(`It must be a whole number ${range}.`);
  };
}

/** Any whole number, negative ones too. */
export const integer = wholeNumber(Number.MIN_SAFE_INTEGER);

/** For options that may be given several times. */
export const collect = (value: string, previous: readonly string[] | undefined): readonly string[] => [
  ...(previous ?? []),
  value,
];

/** Splits `name=value` at the first `=`. */
export function assignment(text: string, option: string): readonly [name: string, value: string] {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidArgumentError(`${option} takes <name>=<value>, not ${JSON.stringify(text)}.`);
  return [text.slice(0, at), text.slice(at + 1)];
}
