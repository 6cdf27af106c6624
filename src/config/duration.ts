const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Milliseconds of `500ms`, `30s`, `2m` or `1.5h`; undefined if it is not a duration, or zero. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,10}(?:\.\d{1,3})?)(ms|s|m|h)$/.exec(text.trim().toLowerCase());
  if (match === null) return undefined;
  const [, amount = "", unit = ""] = match;
  const milliseconds = Math.round(Number(amount) * (units[unit] ?? 1));
  // Timers have 31 bits.
  return milliseconds > 0 && milliseconds < 2 ** 31 ? milliseconds : undefined;
}

/** The shortest text that `parseDuration` reads as these milliseconds. */
export function formatDuration(milliseconds: number): string {
  for (const unit of ["h", "m", "s"]) {
    const size = units[unit] ?? 1;
    if (milliseconds >= size && milliseconds % size === 0) return `${milliseconds / size}${unit}`;
  }
  return `${milliseconds}ms`;
}
