/** A title, `Usage:`, and lines that say what stands below them. */
const heading = /^(?:Usage:|\S.*:$)/gm;

/** Help with its headings in bold, on a terminal that takes colour. */
export const withHeadings = (text: string, colour: boolean): string =>
  colour ? text.replace(heading, "\u001b[1m$&\u001b[22m") : text;
