/** The properties of a column that determine its width. */
export interface ColumnWish {
  /** The width of its header and widest value. */
  readonly natural: number;
  /** Whether its values remain useful when cut: texts do; ids, numbers and dates do not. */
  readonly flexible: boolean;
  /** Whether other columns are shortened or omitted for it. */
  readonly essential?: boolean;
}

const gap = 2;
/** The least width of a text that is cut. */
export const readable = 12;
/** The same beside an essential column, where few others are left. */
const narrow = 8;

/**
 * Column widths that fit the terminal; 0 omits a column. Texts are cut first, the widest most; then columns
 * are omitted from the end, the first column, the first text and essential columns last.
 */
export function layOut(columns: readonly ColumnWish[], available: number): number[] {
  const first = columns.findIndex((column) => column.flexible);
  const kept = columns.map((_, index) => index);
  for (;;) {
    const widths = shrink(columns, kept, available);
    if (widths !== undefined) return widths;
    const leaving =
      kept.findLast((index) => index !== 0 && index !== first && !columns[index]?.essential) ??
      kept.findLast((index) => index !== 0 && index !== first) ??
      kept.at(-1);
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
  const wishes = kept.map((index) => columns[index]).filter((wish) => wish !== undefined);
  // Such as deck and front beside a state: they are cut short before one of them is omitted.
  const shortest = wishes.length <= 4 && wishes.some((wish) => wish.essential) ? narrow : readable;
  const natural = wishes.map((wish) => wish.natural);
  const least = wishes.map((wish) => (wish.flexible && !wish.essential ? shortest : wish.natural));
  const widths = columnWidths(natural, least, available - gap * (kept.length - 1));
  return widths && columns.map((_, index) => widths[kept.indexOf(index)] ?? 0);
}

/**
 * The natural widths, or as wide as fits, the widest columns cut down first and none below its longest word; undefined
 * if the words do not fit.
 */
export function columnWidths(
  natural: readonly number[],
  least: readonly number[],
  available: number,
): number[] | undefined {
  const widths = natural.map((wanted, column) => Math.min(wanted, least[column] ?? wanted));
  if (sum(widths) > available) return undefined;
  if (sum(natural) <= available) return [...natural];
  let left = available - sum(widths);
  while (left > 0) {
    // The narrowest of the columns that are still cut gets the next column of the terminal.
    const cut = [...widths.keys()].filter((column) => (widths[column] ?? 0) < (natural[column] ?? 0));
    const [narrowest] = cut.toSorted((a, b) => (widths[a] ?? 0) - (widths[b] ?? 0));
    if (narrowest === undefined) break;
    widths[narrowest] = (widths[narrowest] ?? 0) + 1;
    left--;
  }
  return widths;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
export const columnGap = " ".repeat(gap);
