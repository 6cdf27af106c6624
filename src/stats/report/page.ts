import type { Bin, DayFigures, Figures, WorkStep } from "../figures.ts";
import { lastDays } from "../heat.ts";
import { barPlot, binBars, escapeHtml, heatMapPlot, percent, retentionPlot } from "./svg.ts";

/**
 * The statistics as one self-contained HTML page: it loads nothing, runs nothing, fits light, dark and print, and has a
 * table under each plot.
 *
 * @param title what the figures are of: the deck's path, or the collection
 * @param last the day that plots of the past end with, `YYYY-MM-DD`: today, or an earlier one
 * @param more what several retentions cost in the next year; where a link above the title leads
 */
export function statsPage(
  figures: Figures,
  title: string,
  last: string,
  { work = [], back }: { readonly work?: readonly WorkStep[]; readonly back?: string } = {},
): string {
  const today = figures.due.days[0]?.date ?? "";
  const name = escapeHtml(title);
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
<title>Statistics: ${name}</title>
<style>${css}</style>
</head>
<body>
<main>
${back === undefined ? "" : `<p><a href="${escapeHtml(back)}">Decks</a></p>`}
<h1>${name}</h1>
<p>As of ${today}. ${summary(figures)}</p>
${totals(figures)}
${[...sections(figures, today, last), workSection(work)].join("\n")}
</main>
</body>
</html>
`;
}

function sections(figures: Figures, today: string, last: string): string[] {
  const { days, due } = figures;
  const [first] = lastDays(days, last, 371);
  const dueBars = due.days.map(({ date, cards }) => dayBar(date, cards, `${cards} cards`));
  return [
    section(
      last === today ? "The last year" : `The year up to ${last}`,
      heatMapPlot(days, last),
      days
        .filter(({ date }) => date >= (first?.date ?? ""))
        .map(({ date, reviews, new: fresh, seconds }) => ({ day: date, reviews, new: fresh, seconds })),
    ),
    section(`Due in the next ${due.days.length} days`, barPlot(dueBars, 5), [
      { day: "overdue", cards: due.overdue },
      ...due.days.map(({ date, cards }) => ({ day: date, cards })),
    ]),
    ...dailySections(lastDays(days, last, 90)),
    retentionSection(figures.retention),
    spread("Intervals, in days", figures.intervals, String),
    spread("Stability, in days", figures.stability, String),
    spread("Difficulty", figures.difficulty, String),
    spread("Chance to recall now", figures.retrievability, percent),
    section(
      "Hardest cards",
      "",
      figures.hardest.map(({ id, lapses, stability, name }) => ({ card: id, lapses, stability, name })),
      true,
    ),
  ];
}

const dayBar = (date: string, value: number, what: string) => ({
  label: date.slice(5),
  value,
  tip: `${date}: ${what}`,
});

function dailySections(days: readonly DayFigures[]): string[] {
  const daily = days.map(({ date, reviews }) => dayBar(date, reviews, `${reviews} reviews`));
  const minutes = days.map(({ date, seconds }) => {
    const spent = Math.round((seconds ?? 0) / 6) / 10;
    return dayBar(date, spent, seconds === null ? "unknown" : `${spent} minutes`);
  });
  return [
    section(
      "Reviews a day",
      barPlot(daily, 15),
      days.map(({ date, reviews }) => ({ day: date, reviews })),
    ),
    section(
      "Minutes a day",
      barPlot(minutes, 15),
      days.map(({ date, seconds }) => ({ day: date, seconds })),
    ),
  ];
}

function retentionSection(retention: Figures["retention"]): string {
  return section(
    "Retention by month",
    `${retentionPlot(retention)}<p class="key"><span class="measured">measured</span> <span class="predicted">predicted</span></p>`,
    retention.map(({ month, reviews, remembered, true: measured, predicted }) => ({
      ...{ month, reviews, remembered },
      ...{ measured: share(measured), predicted: share(predicted) },
    })),
  );
}

/** It says what each retention costs, and recommends none. */
function workSection(work: readonly WorkStep[]): string {
  if (work.length === 0) return "";
  const bars = work.map(({ retention, "minutes-per-day": minutes, known }) => ({
    label: percent(retention),
    value: minutes,
    tip: `${percent(retention)}: ${minutes} minutes a day, ${known} cards known`,
  }));
  return section(
    "The next year by retention, in minutes a day",
    barPlot(bars, 1),
    work.map((step) => ({
      retention: percent(step.retention),
      "reviews a day": step["reviews-per-day"],
      "minutes a day": step["minutes-per-day"],
      "cards known at the end": step.known,
    })),
    true,
  );
}

const spread = (heading: string, bins: readonly Bin[], text: (value: number) => string): string =>
  section(
    heading,
    barPlot(binBars(bins, text), 1),
    bins.map(({ from, to, cards }) => ({ from: text(from), to: to === null ? null : text(to), cards })),
  );

type Row = Readonly<Record<string, string | number | null>>;

/** A plot with its figures as a table, whose columns are the keys of the rows. */
function section(heading: string, plot: string, rows: readonly Row[], open = false): string {
  const head = Object.keys(rows[0] ?? {}).map((column) => `<th scope="col">${column}</th>`);
  const body = rows.map(
    (row) =>
      `<tr>${Object.values(row)
        .map((cell) => `<td>${escapeHtml(String(cell ?? ""))}</td>`)
        .join("")}</tr>`,
  );
  const table = `<table><thead><tr>${head.join("")}</tr></thead><tbody>${body.join("")}</tbody></table>`;
  const figure = plot === "" ? "" : `<figure>${plot}</figure>`;
  return `<section><h2>${heading}</h2>${figure}<details${open ? " open" : ""}><summary>${rows.length} rows</summary>${table}</details></section>`;
}

function summary({ today, streak }: Figures): string {
  const parts = [`${today.reviews} reviews today`];
  if (today.reviews > 0) parts.push(`${percent(today.remembered / today.reviews)} remembered`);
  return `${parts.join(", ")}. Current streak ${daysText(streak.current)}, longest ${daysText(streak.longest)}.`;
}

function totals({
  totals: { cards, new: fresh, young, mature, archived, reviews, seconds },
}: Figures): string {
  const hours = seconds === null ? "unknown" : `${Math.round(seconds / 360) / 10} h`;
  const items = Object.entries({ cards, new: fresh, young, mature, archived, reviews, time: hours });
  return `<dl>${items.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`).join("")}</dl>`;
}

const daysText = (number: number): string => `${number} ${number === 1 ? "day" : "days"}`;

const share = (value: number | null): string | null => (value === null ? null : percent(value));

const css = `
:root{--text:#1f2328;--soft:#59636e;--grid:#d1d9e0;--bar:#2f7d4f;--line:#0969da;--l0:#ebedf0;--l1:#b7dfc3;--l2:#7cc495;--l3:#3f9d62;--l4:#1e6b3e;--page:#fff}
@media (prefers-color-scheme:dark){:root{--text:#e6edf3;--soft:#9198a1;--grid:#3d444d;--bar:#4fae78;--line:#6cb6ff;--l0:#21262d;--l1:#1d4a30;--l2:#2a7147;--l3:#44a06a;--l4:#7bd6a0;--page:#0d1117}}
a{color:var(--line)}
body{margin:0;background:var(--page);color:var(--text);font:15px/1.5 system-ui,sans-serif}
main{max-width:780px;margin:0 auto;padding:16px}
h1{font-size:1.6em;margin:.4em 0}h2{font-size:1.1em;margin:1.6em 0 .4em}
figure{margin:0}svg{width:100%;height:auto;display:block}
text{font:10px system-ui,sans-serif;fill:var(--soft)}
.bar{fill:var(--bar)}.grid{stroke:var(--grid);stroke-width:1}
.dot{fill:var(--bar)}path{fill:none;stroke-width:2}path.measured{stroke:var(--bar)}path.predicted{stroke:var(--line);stroke-dasharray:5 4}
.key{margin:.2em 0;font-size:.85em}.key span::before{content:"";display:inline-block;width:1.6em;margin-right:.4em;vertical-align:middle;border-top:2px solid var(--bar)}.key .predicted::before{border-top:2px dashed var(--line)}.key span{margin-right:1.2em}
.l0{fill:var(--l0)}.l1{fill:var(--l1)}.l2{fill:var(--l2)}.l3{fill:var(--l3)}.l4{fill:var(--l4)}
dl{display:flex;flex-wrap:wrap;gap:8px 24px;margin:0}dt{color:var(--soft);font-size:.85em}dd{margin:0;font-size:1.3em}
details{font-size:.9em;color:var(--soft);overflow-x:auto}summary{cursor:pointer}
table{border-collapse:collapse;color:var(--text);margin:.4em 0}th,td{text-align:left;padding:1px 14px 1px 0;font-weight:normal;vertical-align:top}th{color:var(--soft)}
@media print{:root{--page:#fff;--text:#000}section{break-inside:avoid}main{max-width:none}}
`.trim();
