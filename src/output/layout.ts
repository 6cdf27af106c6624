/** What decides how wide a column may be. */
export interface ColumnWish {
  /** The width of its header and widest value. */
  readonly natural: number;
  /** Whether its values make sense when cut: texts do, ids, numbers and dates do not. */
  readonly flexible: boolean;
}

const gap = 2;
/** A text cut shorter than this tells nothing. */
const readable = 12;

/**
 * Column widths that fit the terminal; 0 leaves a column out. Texts are cut first, the widest of them most; then columns
 * go from the end, but the first one, and the first text, stay longest.
 */
export function layOut(columns: readonly ColumnWish[], available: number): number[] {
  const first = columns.findIndex((column) => column.flexible);
  const kept = columns.map((_, index) => index);
  for (;;) {
    const widths = shrink(columns, kept, available);
    if (widths !== undefined) return widths;
    const leaving = kept.findLast((index) => index !== 0 && index !== first) ?? kept.at(-1);
    if (kept.length === 1 || leaving === undefined)
      return columns.map((column, index) =>
        kept.includes(index) ? Math.min(column.natural, Math.max(1, available)) : 0,
      );
    kept.splice(kept.indexOf(leaving), 1);
  }
}

/** The widths of the kept columns with their texts cut to fit; undefined if cutting is not enough. */
function shrink(
  columns: readonly ColumnWish[],
  kept: readonly number[],
  available: number,
): number[] | undefined {
  const widths = columns.map((column, index) => (kept.includes(index) ? column.natural : 0));
  let excess = sum(widths) + gap * (kept.length - 1) - available;
  const texts = kept.filter((index) => columns[index]?.flexible);
  while (excess > 0) {
    // The widest text gives up what it has more than the next one.
    texts.sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0));
    const [widest = -1, next = -1] = texts;
    const width = widths[widest] ?? 0;
    const floor = Math.max(readable, Math.min(width - 1, widths[next] ?? 0));
    if (width <= readable) return undefined;
    const less = Math.min(excess, width - Math.min(floor, width - 1));
    widths[widest] = width - less;
    excess -= less;
  }
  return widths;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
export const columnGap = " ".repeat(gap);
