import { liveInTree, sumsInTree } from "../deck-tree.ts";
import { lineOf } from "../decks/find.ts";
import { hintOf, type KeyCommand } from "../review/keymap.ts";
import { dateOfDay } from "../schedule/days.ts";
import { askedText, durationText, figuresByDeck, type TodayNumbers } from "../schedule/figures.ts";
import { countedCard, StatsCollector } from "../stats/collect.ts";
import { statsPage } from "../stats/report/page.ts";
import { escapeHtml } from "../stats/report/svg.ts";
import { clientOf, decksOf, type StudySession } from "./card.ts";
import type { StudyService } from "./ports.ts";

export interface Page {
  /** What the script does on it. */
  readonly kind: string;
  readonly title: string;
  /** HTML, as all that is put together here: `escapeHtml` makes a text safe. */
  readonly body: string;
  /** Whose answers the script may send. */
  readonly account?: string;
}

/** Not in the template: bundlers rewrite those that have it in them. */
const script = (version: string) => `<script src="page.js?${version}" defer></script>`;

/** A whole page. All its addresses are relative, so that it works under any path of a proxy. @param version of its files */
export const pageHtml = ({ kind, title, body, account = "" }: Page, version: string): string =>
  `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="#1e6b3e">
<title>${title} · deckhand</title>
<link rel="stylesheet" href="page.css?${version}">
<link rel="icon" href="icon.svg" type="image/svg+xml">
<link rel="apple-touch-icon" href="icon.png">
<link rel="manifest" href="manifest.webmanifest">
${script(version)}
</head>
<body data-page="${kind}" data-account="${escapeHtml(account)}">
${body}
</body>
</html>
`;

/** Goes on to a page of ours: a cookie that is set on the way from elsewhere is not sent along (SameSite). */
export const startPage = (to: string): string =>
  `<!DOCTYPE html><title>deckhand</title><meta http-equiv="refresh" content="0;url=${escapeHtml(to)}">`;

export function loginPage(problem = ""): Page {
  const body = `<main>
<h1>Sign in</h1>
${problem && `<p role="alert" class="problem">${problem}</p>`}
<form method="post" action="login">
<p><label for="name">Account <small>(may be left empty)</small></label><input id="name" name="name" autocomplete="username" autocapitalize="off" spellcheck="false"></p>
<p><label for="key">Key</label><input id="key" name="key" type="password" autocomplete="current-password" required></p>
<p><button class="main">Sign in</button></p>
</form>
<p><small>The key is printed once by <code>deckhand serve key add</code>.</small></p>
</main>`;
  return { kind: "login", title: "Sign in", body };
}

const signOut = '<form method="post" action="logout"><button>Sign out</button></form>';

/** With the key of the terminal for the same. */
const button = (command: KeyCommand, label: string, kind = "") =>
  `<button id="${command}" class="${kind}" aria-keyshortcuts="${hintOf(command).key}">${label}</button>`;

/** The frame of a session, and the session as JSON, with which the script fills it. A `<` in it could end its element. */
export function reviewPage(session: StudySession, programEnds: boolean): Page {
  const body = `<header><nav><a href="./">Decks</a></nav><span id="place"></span><progress id="bar" aria-label="Cards finished" max="1" value="0"></progress></header>
<main>
<h1 id="deck">Review</h1>
<article id="card" tabindex="-1" aria-live="polite"><p>One moment…</p></article>
<form id="typing"><label for="typed">Your answer</label><input id="typed" autocomplete="off" autocapitalize="off" spellcheck="false"><button>Check</button></form>
<p id="message" role="status"></p>
</main>
<footer id="controls">
<div class="grades" id="grades">${button("next", "Show answer", "main")}${button("forgot", "Forgot")}${button("remembered", "Remembered", "main")}</div>
<div class="more">${button("undo", "Undo")}${button("skip", "Skip")}${button("not-today", "Not today")}${button("hint", "Hint")}${button("play", "Play")}</div>
</footer>
<template id="end"><p>${programEnds ? '<button id="done" class="main">Finish</button>' : '<a class="button main" href="./">Decks</a>'}</p></template>
<script type="application/json" id="session">${JSON.stringify(session).replaceAll("<", "\\u003c")}</script>`;
  return { kind: "review", title: "Review", body, account: session.account };
}

/** The decks as a tree, with what is asked of each and those under it today. Only who has a key can sign in again. */
export async function decksPage(service: StudyService, account: string, hasKeys: boolean): Promise<Page> {
  const client = clientOf(service, account);
  // The service is our own, and leaves no number out.
  const day = (await client.today.get()) as TodayNumbers;
  const { today, tomorrow } = day;
  const decks = liveInTree(await decksOf(client));
  const sums = sumsInTree(decks, figuresByDeck(day));
  const items = decks.map(({ deck: { id, name }, depth }, index) => {
    const { due, new: fresh } = sums.get(id) ?? { due: 0, new: 0 };
    const next = decks[index + 1]?.depth ?? 0;
    const end = next > depth ? "<ul>" : `</li>${"</ul></li>".repeat(depth - next)}`;
    return `<li><a href="review?deck-id=${encodeURIComponent(id)}"><span class="name">${escapeHtml(name) || "(no name)"}</span> <span class="count">${due} due, ${fresh} new</span></a>${end}`;
  });
  const body = `<header><nav><a href="stats">Statistics</a></nav>${hasKeys ? signOut : ""}</header>
<main>
<h1>Today</h1>
<p>${today.count > 0 ? `${askedText(today)}, about ${durationText(today.seconds)}` : "Done for today"}. ${tomorrow ?? 0} tomorrow.</p>
${today.count > 0 ? `<p><a class="button main" href="review">Review</a> <a class="button" href="review?type=1">Review, typing answers</a></p>` : ""}
<p id="message" role="status"></p>
<h2>Decks</h2>
${items.length === 0 ? "<p>There are no decks yet.</p>" : `<ul class="decks">${items.join("")}</ul>`}
</main>`;
  return { kind: "decks", title: "Decks", body, account };
}

/** The statistics of an account: the page of `deckhand stats --report`. */
export async function studyStats(service: StudyService, account: string): Promise<string> {
  const [now, { dayOf }] = [service.now(), await service.days(account)];
  const collector = new StatsCollector({ now, dayOf, scheduler: await service.scheduler(account) });
  const client = clientOf(service, account);
  const decks = new Map((await decksOf(client)).map((deck) => [deck.id, deck]));
  for await (const { docs } of client.cards.pages())
    for (const card of docs)
      collector.add(countedCard(card, await lineOf(card["deck-id"] ?? "", async (id) => decks.get(id))));
  return statsPage(collector.finish(), "All decks", dateOfDay(dayOf(now)), { back: "./" });
}
