import { escapeHtml } from "../stats/report/svg.ts";

/** HTML that is safe already. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | number | Html | undefined | readonly Html[];

/** HTML with values in it, made safe unless they are HTML. */
export const html = (parts: TemplateStringsArray, ...values: readonly Value[]): Html =>
  new Html(parts.map((part, index) => (index === 0 ? part : textOf(values[index - 1]) + part)).join(""));

function textOf(value: Value): string {
  if (value === undefined) return "";
  if (value instanceof Html) return value.text;
  return typeof value === "object" ? value.map(textOf).join("") : escapeHtml(String(value));
}

interface Layout {
  /** What the script does on it. */
  readonly kind: "review" | "decks" | "login";
  readonly title: string;
  /** Whose answers the script may send. */
  readonly account?: string;
}

/** Not in the template: bundlers rewrite those that have it in them. */
const script = new Html('<script src="page.js" defer></script>');

/** A whole page. All its addresses are relative, so that it works under any path of a proxy. */
export const page = ({ kind, title, account = "" }: Layout, body: Html): string =>
  html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="#1e6b3e">
<title>${title}</title>
<link rel="stylesheet" href="page.css">
<link rel="icon" href="icon.svg" type="image/svg+xml">
<link rel="apple-touch-icon" href="icon.png">
<link rel="manifest" href="manifest.webmanifest">
${script}
</head>
<body data-page="${kind}" data-account="${account}">
${body}
</body>
</html>
`.text;
