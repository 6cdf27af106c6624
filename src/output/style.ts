/** The few ways in which output is coloured. */
export interface Style {
  dim(text: string): string;
  bold(text: string): string;
  id(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  warning(text: string): string;
}

const same = (text: string) => text;
export const plain: Style = { dim: same, bold: same, id: same, good: same, bad: same, warning: same };

/** The styles, or none of them without colour; only with colour chalk is loaded. */
export async function loadStyle(colour: boolean): Promise<Style> {
  if (!colour) return plain;
  const { Chalk } = await import("chalk");
  const chalk = new Chalk({ level: 1 });
  return {
    dim: chalk.dim,
    bold: chalk.bold,
    id: chalk.cyan,
    good: chalk.green,
    bad: chalk.red,
    warning: chalk.yellow,
  };
}
