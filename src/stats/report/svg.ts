import { scaleLinear } from "d3-scale";
import { line } from "d3-shape";
import type { Bin, DayFigures, MonthFigures } from "../figures.ts";
import { heatLevels, weeksUpTo } from "../heat.ts";

/** Plots as SVG text. Colours are classes of the page, so that one plot fits light, dark and print. */

/** Text made safe for HTML and for attributes in double quotes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

interface Bar {
  readonly label: string;
  readonly value: number;
  /** Shown when the pointer rests on it, and read out. */
  readonly tip: string;
}

const size = { width: 720, height: 200, left: 44, right: 8, top: 10, bottom: 24 } as const;

/** @param every a label below every so many bars */
export function barPlot(bars: readonly Bar[], every: number): string {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const y = scaleLinear([0, most], [size.height - size.bottom, size.top]).nice(4);
  const step = (size.width - size.left - size.right) / Math.max(1, bars.length);
  const shapes = bars.map(({ label, value, tip }, index) => {
    const x = size.left + index * step;
    const bar = `<rect class="bar" x="${fix(x + step * 0.1)}" y="${fix(y(value))}" width="${fix(step * 0.8)}" height="${fix(y(0) - y(value))}"><title>${escapeHtml(tip)}</title></rect>`;
    if (index % every !== 0) return bar;
    const text = `<text x="${fix(x + step / 2)}" y="${size.height - 6}" text-anchor="middle">${escapeHtml(label)}</text>`;
    return bar + text;
  });
  return svg(size.height, axis(y.ticks(4), y, String) + shapes.join(""));
}

/** Two lines over the months: what was measured, and what was predicted. */
export function retentionPlot(months: readonly MonthFigures[]): string {
  const shares = months.flatMap(({ true: measured, predicted }) =>
    [measured, predicted].filter((each) => each !== null),
  );
  const least = Math.max(0, Math.floor(Math.min(0.8, ...shares) * 10) / 10);
  const y = scaleLinear([least, 1], [size.height - size.bottom, size.top]);
  const x = scaleLinear([0, Math.max(1, months.length - 1)], [size.left + 20, size.width - size.right - 20]);
  const path = (of: (month: MonthFigures) => number | null) =>
    line<MonthFigures>()
      .defined((month) => of(month) !== null)
      .x((_, index) => x(index))
      .y((month) => y(of(month) ?? 0))
      .digits(1)(months) ?? "";
  const dots = months.flatMap((month, index) => {
    if (month.true === null) return [];
    const tip = `${month.month}: ${percent(month.true)} of ${month.reviews} reviews remembered`;
    return `<circle class="dot" cx="${fix(x(index))}" cy="${fix(y(month.true))}" r="3"><title>${tip}</title></circle>`;
  });
  const every = Math.ceil(months.length / 12);
  const labels = months.map(({ month }, index) =>
    index % every === 0
      ? `<text x="${fix(x(index))}" y="${size.height - 6}" text-anchor="middle">${month}</text>`
      : "",
  );
  const lines = `<path class="predicted" d="${path((month) => month.predicted)}"/><path class="measured" d="${path((month) => month.true)}"/>`;
  return svg(size.height, axis(y.ticks(4), y, percent) + lines + dots.join("") + labels.join(""));
}

const cell = 13;

/** The year up to a day (`YYYY-MM-DD`), one column a week from Monday to Sunday. */
export function heatMapPlot(days: readonly DayFigures[], end: string): string {
  const levelOf = heatLevels(days);
  let body = "";
  for (const [index, { date, reviews: count }] of weeksUpTo(days, end, 53).entries()) {
    const [x, y] = [28 + Math.floor(index / 7) * cell, 16 + (index % 7) * cell];
    if (date.endsWith("-01")) body += `<text x="${x}" y="11">${date.slice(0, 7)}</text>`;
    body += `<rect class="l${levelOf(count)}" x="${x}" y="${y}" width="${cell - 2}" height="${cell - 2}" rx="2"><title>${date}: ${count} ${count === 1 ? "review" : "reviews"}</title></rect>`;
  }
  const names = ["Mon", "", "Wed", "", "Fri", "", "Sun"];
  const labels = names.map((name, row) => (name ? `<text x="0" y="${26 + row * cell}">${name}</text>` : ""));
  const bottom = 16 + 7 * cell;
  const legend = [0, 1, 2, 3, 4].map(
    (level) =>
      `<rect class="l${level}" x="${62 + level * cell}" y="${bottom + 5}" width="${cell - 2}" height="${cell - 2}" rx="2"/>`,
  );
  legend.push(
    `<text x="28" y="${bottom + 14}">fewer</text><text x="${66 + 5 * cell}" y="${bottom + 14}">more</text>`,
  );
  return svg(bottom + 20, labels.join("") + body + legend.join(""));
}

export const binBars = (bins: readonly Bin[], noun: (value: number) => string): Bar[] =>
  bins.map(({ from, to, cards }) => {
    const range = to === null ? `${noun(from)} and more` : `${noun(from)} to ${noun(to)}`;
    return { label: noun(from), value: cards, tip: `${range}: ${cards} cards` };
  });

export const percent = (share: number): string => `${Math.round(share * 100)}%`;

function axis(
  ticks: readonly number[],
  y: (value: number) => number,
  text: (value: number) => string,
): string {
  const whole = ticks.filter((tick) => text !== String || Number.isInteger(tick));
  return whole
    .map(
      (tick) =>
        `<line class="grid" x1="${size.left}" x2="${size.width - size.right}" y1="${fix(y(tick))}" y2="${fix(y(tick))}"/><text x="${size.left - 6}" y="${fix(y(tick) + 4)}" text-anchor="end">${text(tick)}</text>`,
    )
    .join("");
}

const svg = (height: number, body: string): string =>
  `<svg viewBox="0 0 ${size.width} ${height}" role="img" aria-hidden="true">${body}</svg>`;

const fix = (value: number): string => String(Math.round(value * 10) / 10);
