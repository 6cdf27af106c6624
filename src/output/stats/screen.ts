import type { Bin, Figures, MonthFigures } from "../../stats/figures.ts";
import { lastDays } from "../../stats/heat.ts";
import { visible } from "../sanitize.ts";
import type { Style } from "../style.ts";
import { cut, displayWidth, pad } from "../width.ts";
import { asciiGlyphs, bars, type Glyphs, heatMap, monthName, sparkline, unicodeGlyphs } from "./plots.ts";

interface ScreenOptions {
  /** Columns. */
  readonly width: number;
  /** Rows of the terminal; one is left for the prompt. */
  readonly height: number;
  readonly unicode: boolean;
  readonly style: Style;
  /** The day that plots of the past end with, `YYYY-MM-DD`: today, or an earlier one. */
  readonly last: string;
}

type Drawing = ScreenOptions & { readonly glyphs: Glyphs };

/** The narrowest screen with two plots side by side. */
const twoColumns = 72;

/** The statistics as one screen; it grows with the terminal and never gets wider than it. */
export function statsScreen(figures: Figures, asked: ScreenOptions): string[] {
  const options = { ...asked, glyphs: asked.unicode ? unicodeGlyphs : asciiGlyphs };
  const { totals } = figures;
  if (totals.reviews === 0)
    return [
      todayLine(figures, options),
      `${count(totals.cards, "card")}, ${number(totals.new)} new. No card was reviewed yet.`,
    ].map((line) => cut(line, options.width));
  const wide = options.width >= twoColumns;
  // Besides the plots it has 18 rows where two plots share them, and two of hard cards.
  const room = wide ? options.height - 21 : (options.height - 36) / 2;
  const plotHeight = Math.max(3, Math.min(10, Math.floor(room)));
  const lines = [
    todayLine(figures, options),
    options.style.dim(noteOf(figures, options)),
    ...yearSection(figures, options),
    ...dailySection(figures, plotHeight, options),
    "",
    ...memorySection(figures, options),
  ];
  const left = options.height - 1 - lines.length;
  const all = [...lines, ...hardestSection(figures, left, options)];
  return all.map((line) => (displayWidth(line) > options.width ? cut(line, options.width) : line).trimEnd());
}

const today = ({ due }: Figures): string => due.days[0]?.date ?? "1970-01-01";

/** A line for days that are not what a reader expects. */
const noteOf = (figures: Figures, { last }: ScreenOptions): string =>
  last === today(figures) ? "" : `Reviews up to ${last}:`;

function todayLine(figures: Figures, { style, width }: ScreenOptions): string {
  const { reviews, remembered, new: fresh, seconds } = figures.today;
  const { current, longest } = figures.streak;
  const parts = [`${count(reviews, "review")} today`];
  if (reviews > 0)
    parts.push(`${percent(remembered / reviews)} remembered`, `${fresh} ${fresh === 1 ? "was" : "were"} new`);
  if (seconds !== null && reviews > 0) parts.push(duration(seconds));
  const line = parts.join(", ");
  const short = `streak ${count(current, "day")}`;
  const room = (streak: string) => width - displayWidth(line) - displayWidth(streak);
  const streak = [`${short} (longest ${longest})`, short].find((text) => room(text) >= 2);
  return streak === undefined ? style.bold(line) : `${style.bold(line)}${" ".repeat(room(streak))}${streak}`;
}

/** The heat map, its legend and the totals. */
function yearSection(figures: Figures, options: Drawing): string[] {
  const side = totalsSide(figures);
  const sideWidth = Math.max(...side.map((line) => line.length));
  const beside = options.width >= twoColumns;
  const room = options.width - 4 - (beside ? sideWidth + 2 : 0);
  const weeks = Math.max(4, Math.min(53, room));
  const map = heatMap(figures.days, options.last, weeks, options.glyphs);
  const names = ["Mon", "", "Wed", "", "Fri", "", "Sun"];
  const rows = map.rows.map(
    (row, index) => `${options.style.dim((names[index] ?? "").padEnd(4))}${options.style.good(row)}`,
  );
  const lines = [`    ${options.style.dim(map.header)}`, ...rows];
  const legend = options.style.dim(`    ${map.legend}`);
  if (!beside) return [...lines, legend, ...side.slice(1), ""];
  return [...lines.map((line, index) => join(line, 4 + weeks + 2, side[index] ?? "")), legend];
}

/** The totals as lines of a name and a number, at most one for each row of the year. */
function totalsSide({ totals }: Figures): string[] {
  const rows: [string, string][] = [
    ["cards", number(totals.cards)],
    ["new", number(totals.new)],
    ["young", number(totals.young)],
    ["mature", number(totals.mature)],
    ["archived", number(totals.archived)],
    ["reviews", number(totals.reviews)],
    ["time", totals.seconds === null ? "unknown" : duration(totals.seconds)],
  ];
  return ["", ...rows.map(([name, value]) => `${name.padEnd(8)} ${value.padStart(8)}`)];
}

function dailySection(figures: Figures, height: number, options: Drawing): string[] {
  const wide = options.width >= twoColumns;
  const width = wide ? Math.floor((options.width - 3) / 2) : options.width;
  const plot = (title: string, days: readonly { date: string; cards: number }[]) => {
    const columns = Math.max(1, Math.floor((width - 6) / days.length));
    const fitting = days.slice(0, Math.max(7, width - 6));
    const most = String(Math.max(...fitting.map(({ cards }) => cards), 0));
    const values = fitting.map(({ cards }) => cards);
    const rows = bars(values, height, options.glyphs, columns);
    const labelled = rows.map(
      (row, index) =>
        `${options.style.dim(pad(index === 0 ? most : index === height - 1 ? "0" : "", 5, "right"))} ${row}`,
    );
    const [first, last] = [dayLabel(fitting[0]?.date), dayLabel(fitting.at(-1)?.date)];
    const gap = Math.max(1, fitting.length * columns - first.length - last.length);
    return [
      options.style.bold(title),
      ...labelled,
      options.style.dim(`      ${first}${" ".repeat(gap)}${last}`),
    ];
  };
  const { overdue, days } = figures.due;
  const backlog = overdue > 0 ? ` (${number(overdue)} overdue)` : "";
  const period = options.last === today(figures) ? "last 30 days" : `30 days up to ${options.last}`;
  const past = plot(
    `Reviews, ${period}`,
    lastDays(figures.days, options.last, 30).map(({ date, reviews }) => ({ date, cards: reviews })),
  );
  const due = plot(`Due, next 30 days${backlog}`, days);
  return wide ? past.map((line, index) => join(line, width + 3, due[index] ?? "")) : [...past, ...due];
}

function memorySection(figures: Figures, options: Drawing): string[] {
  const wide = options.width >= twoColumns;
  const width = wide ? Math.floor((options.width - 3) / 2) : options.width;
  const left = retentionLines(figures.retention, width, options);
  const right = [
    spread("Interval", figures.intervals, "1d", "1y+", options),
    spread("Stability", figures.stability, "0d", "1y+", options),
    spread("Difficulty", figures.difficulty, "1", "10", options),
    spread("Recall now", figures.retrievability, "0%", "100%", options),
  ];
  if (!wide) return [...left, ...right];
  const rows = Math.max(left.length, right.length);
  return Array.from({ length: rows }, (_, index) => join(left[index] ?? "", width + 3, right[index] ?? ""));
}

function retentionLines(
  months: readonly MonthFigures[],
  width: number,
  { glyphs, style }: Drawing,
): string[] {
  const cell = 5;
  const shown = months.slice(-Math.max(1, Math.floor((width - 10) / cell)));
  const nameOf = ({ month }: MonthFigures) => monthName(Number(month.slice(5)) - 1);
  const cells = (text: (month: MonthFigures) => string) =>
    shown.map((month) => text(month).padStart(cell)).join("");
  const share = (value: number | null) => (value === null ? glyphs.dash : percent(value));
  if (shown.length === 0) return [style.bold("Retention"), "no card was reviewed twice yet"];
  return [
    style.bold("Retention by month"),
    `${" ".repeat(10)}${style.dim(cells(nameOf))}`,
    `${"measured".padEnd(10)}${cells((month) => share(month.true))}`,
    `${"predicted".padEnd(10)}${cells((month) => share(month.predicted))}`,
  ];
}

function spread(
  name: string,
  bins: readonly Bin[],
  from: string,
  to: string,
  { glyphs, style }: Drawing,
): string {
  return `${style.bold(name.padEnd(10))} ${style.dim(from.padStart(3))} ${sparkline(bins, glyphs)} ${style.dim(to)}`;
}

function hardestSection(figures: Figures, rows: number, { style, width }: ScreenOptions): string[] {
  const shown = figures.hardest.slice(0, Math.max(0, rows - 1));
  if (shown.length === 0) return [];
  const lines = shown.map(({ id, lapses, name }) => {
    const head = `${visible(id)}  ${count(lapses, "lapse").padStart(10)}  `;
    return `${style.id(visible(id))}${head.slice(visible(id).length)}${cut(visible(name ?? ""), Math.max(0, width - head.length))}`;
  });
  return [style.bold("Hardest cards"), ...lines];
}

/** Two texts side by side, the second beginning at a column. */
const join = (left: string, column: number, right: string): string => `${pad(left, column)}${right}`;

const number = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ",");

const count = (value: number, noun: string): string => `${number(value)} ${noun}${value === 1 ? "" : "s"}`;

const percent = (share: number): string => `${Math.round(share * 100)}%`;

/** Seconds as `45 s`, `12 min` or `3 h 05`. */
export function duration(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 100 ? `${hours} h ${String(minutes % 60).padStart(2, "0")}` : `${number(hours)} h`;
}

function dayLabel(date: string | undefined): string {
  if (date === undefined) return "";
  return `${Number(date.slice(8))} ${monthName(Number(date.slice(5, 7)) - 1)}`;
}
