import { liveInTree, sumsInTree } from "../deck-tree.ts";
import type { TodayFigures } from "../schema/index.ts";
import { escapeHtml } from "../stats/report/svg.ts";
import type { AccountReader } from "./account.ts";

/** HTML that is safe already. */
class Html {
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
const page = ({ kind, title, account = "" }: Layout, body: Html): string =>
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

export const loginPage = (problem?: string): string =>
  page(
    { kind: "login", title: "Sign in · deckhand" },
    html`<main>
<h1>Sign in</h1>
${problem === undefined ? undefined : html`<p role="alert" class="problem">${problem}</p>`}
<form method="post" action="login">
<p><label for="name">Account <small>(may be left empty)</small></label><input id="name" name="name" autocomplete="username" autocapitalize="off" spellcheck="false"></p>
<p><label for="key">Key</label><input id="key" name="key" type="password" autocomplete="current-password" required></p>
<p><button class="main">Sign in</button></p>
</form>
<p><small>The key is printed once by <code>deckhand serve key add</code>.</small></p>
</main>`,
  );

/** The frame of a session; the script fills it, also without a connection. */
export const reviewPage = (): string =>
  page(
    { kind: "review", title: "Review · deckhand" },
    html`<header><nav><a href="./">Decks</a></nav><span id="place"></span><progress id="bar" aria-label="Cards finished" max="1" value="0"></progress></header>
<main>
<h1 id="deck">Review</h1>
<article id="card" tabindex="-1" aria-live="polite"><p>One moment…</p></article>
<form id="typing" hidden><label for="typed">Your answer</label><input id="typed" autocomplete="off" autocapitalize="off" spellcheck="false"><button>Check</button></form>
<p id="message" role="status"></p>
</main>
<footer id="controls" hidden>
<div class="grades" id="grades">
<button id="next" class="main" aria-keyshortcuts="Space">Show answer</button>
<button id="forgot" aria-keyshortcuts="1">Forgot</button>
<button id="remembered" class="main" aria-keyshortcuts="2">Remembered</button>
</div>
<div class="more">
<button id="undo" aria-keyshortcuts="u">Undo</button>
<button id="skip" aria-keyshortcuts="s">Skip</button>
<button id="not-today" aria-keyshortcuts="n">Not today</button>
<button id="hint" aria-keyshortcuts="h">Hint</button>
<button id="play" aria-keyshortcuts="p">Play</button>
</div>
</footer>`,
  );

/** The decks as a tree, with what is asked of each and those under it today. */
export async function decksPage(reader: AccountReader): Promise<string> {
  const today = await reader.today();
  const decks = liveInTree(await reader.decks());
  const own = (today?.decks ?? []).map(({ id, reviews, forgotten, new: fresh }) => {
    return [id ?? "", { due: (reviews ?? 0) + (forgotten ?? 0), fresh: fresh ?? 0 }] as const;
  });
  const sums = sumsInTree(decks, new Map(own));
  const items = decks.map(({ deck: { id, name }, depth }, index) => {
    const { due, fresh } = sums.get(id) ?? { due: 0, fresh: 0 };
    const next = decks[index + 1]?.depth ?? 0;
    const end = new Html(next > depth ? "<ul>" : `</li>${"</ul></li>".repeat(depth - next)}`);
    return html`<li><a href="review?deck-id=${encodeURIComponent(id)}"><span class="name">${name || "(no name)"}</span> <span class="count">${due} due, ${fresh} new</span></a>${end}`;
  });
  return page(
    { kind: "decks", title: "Decks · deckhand", account: reader.account },
    html`<header><nav><a href="stats">Statistics</a></nav><form method="post" action="logout"><button>Sign out</button></form></header>
<main>
<h1>Today</h1>
<p>${todayText(today)}</p>
${(today?.today?.count ?? 0) > 0 ? html`<p><a class="button main" href="review">Review</a> <a class="button" href="review?type=1">Review, typing answers</a></p>` : undefined}
<p id="message" role="status"></p>
<h2>Decks</h2>
${items.length === 0 ? html`<p>There are no decks yet.</p>` : html`<ul class="decks">${items}</ul>`}
</main>`,
  );
}

function todayText(today: TodayFigures | undefined): string {
  const { reviews = 0, new: fresh = 0, forgotten = 0, seconds = 0, count = 0 } = today?.today ?? {};
  if (count === 0) return `Done for today. ${today?.tomorrow ?? 0} tomorrow.`;
  const minutes = Math.max(1, Math.round((seconds ?? 0) / 60));
  return `${reviews} to review, ${fresh} new, ${forgotten} forgotten, about ${minutes} min. ${today?.tomorrow ?? 0} tomorrow.`;
}
