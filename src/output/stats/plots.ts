import type { Bin, DayFigures } from "../../stats/figures.ts";
import { heatLevels, weeksUpTo } from "../../stats/heat.ts";

/** Plots of figures in characters. Each returns lines; a level is never shown by colour alone. */

export interface Glyphs {
  /** From nothing to most, five levels. */
  readonly levels: readonly string[];
  /** Parts of a cell from the bottom, the last one whole. */
  readonly bars: readonly string[];
  readonly dash: string;
}

export const unicodeGlyphs: Glyphs = {
  levels: ["·", "░", "▒", "▓", "█"],
  bars: ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"],
  dash: "–",
};

export const asciiGlyphs: Glyphs = { levels: [".", ":", "+", "*", "#"], bars: [".", "#"], dash: "-" };

interface HeatMap {
  /** The names of months above the weeks they begin in. */
  readonly header: string;
  /** Monday to Sunday. */
  readonly rows: readonly string[];
  readonly legend: string;
}

/**
 * The weeks up to a day, one column each.
 *
 * @param end `YYYY-MM-DD`
 */
export function heatMap(
  days: readonly DayFigures[],
  end: string,
  weeks: number,
  { levels }: Glyphs,
): HeatMap {
  const shown = weeksUpTo(days, end, weeks);
  const levelOf = heatLevels(days);
  const rows = Array.from({ length: 7 }, (_, day) =>
    Array.from({ length: weeks }, (_, week) => {
      const found = shown[week * 7 + day];
      return found === undefined ? " " : (levels[levelOf(found.reviews)] ?? "");
    }).join(""),
  );
  const legend = `fewer ${levels.join(" ")} more reviews a day`;
  return { header: monthHeader(weeks, (week) => new Date(shown[week * 7]?.date ?? end)), rows, legend };
}

const monthNames = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

export const monthName = (month: number): string => monthNames[month] ?? "";

function monthHeader(weeks: number, monday: (week: number) => Date): string {
  let line = "";
  for (let week = 0; week < weeks; week++) {
    const month = monday(week).getUTCMonth();
    const begins = week === 0 || month !== monday(week - 1).getUTCMonth();
    const name = monthName(month);
    // The end of a month at the left edge must not take the room of the next month's name.
    if (week === 0 && month !== monday(name.length).getUTCMonth()) continue;
    // No room, or no space after the name before it.
    if (!begins || line.length > week || week + name.length > weeks) continue;
    line = line.padEnd(week === 0 ? 0 : week) + name;
    line += " ";
  }
  return line.trimEnd();
}

/**
 * Vertical bars, one for each value, `columns` wide.
 *
 * @returns `height` lines from the top
 */
export function bars(
  values: readonly number[],
  height: number,
  { bars: parts }: Glyphs,
  columns = 1,
): string[] {
  const most = Math.max(...values, 0);
  const units = values.map((value) =>
    most === 0 || value === 0 ? 0 : Math.max(1, Math.round((value / most) * height * parts.length)),
  );
  return Array.from({ length: height }, (_, row) => {
    const below = (height - 1 - row) * parts.length;
    const cells = units.map((unit) => {
      const part = Math.min(parts.length, unit - below);
      return (part <= 0 ? " " : (parts[part - 1] ?? " ")).repeat(columns);
    });
    return cells.join("");
  });
}

/** A histogram in one line. */
export const sparkline = (bins: readonly Bin[], glyphs: Glyphs): string =>
  bars(
    bins.map(({ cards }) => cards),
    1,
    glyphs,
  )[0] ?? "";
