import { run } from "../../output/markdown/runs.ts";
import { wrapRuns } from "../../output/markdown/wrap.ts";
import { type Panel, panelGap } from "./view.ts";

/** Columns beside the rows of a panel: a margin on both sides. */
const margins = 4;

/**
 * The panel in rows and lines that fit the screen: what is longer goes on below. Names are as wide as the widest, so
 * that values stand below one another whichever rows are shown. What comes after the rows stays one line, cut, where it
 * does not fit beside them in whole.
 */
export function wrapPanel(panel: Panel, { columns, rows }: { columns: number; rows: number }): Panel {
  const width = Math.max(0, ...panel.rows.map(({ name }) => name.length));
  const wrapped = panel.rows.flatMap((row) =>
    wrapText(row.value, columns - margins - width - panelGap).map((value, index) => ({
      ...row,
      name: (index === 0 ? row.name : "").padEnd(width),
      value,
    })),
  );
  const whole = { ...panel, rows: wrapped };
  if (panel.after === undefined) return whole;
  const after = panel.after.flatMap((line) => wrapText(line, columns - margins));
  return panelHeight({ ...whole, after }, rows) < wrapped.length ? whole : { ...whole, after };
}

/** How many rows of a panel fit below its title and above what comes after it. */
export function panelHeight(panel: Panel, rows: number): number {
  return Math.max(1, rows - 2 - 3 - (panel.after === undefined ? 0 : panel.after.length + 1));
}

/** Text in lines that fit; at least one. */
export function wrapText(text: string, width: number): string[] {
  const lines = wrapRuns([run(text)], width).map((line) => line.map((part) => part.text).join(""));
  return lines.length === 0 ? [""] : lines;
}
