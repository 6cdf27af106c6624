import { commandOf, says } from "../../review/keymap.ts";
import { openTasks } from "../../review/session/outbox.ts";
import type { Session } from "../../review/session/session.ts";
import { isOver, toReveal } from "../../review/session/state.ts";
import type { StudySession } from "../card.ts";
import { BrowserLog } from "./log.ts";
import { openSession, type PageCard, recordingOf } from "./play.ts";
import { element, say, View } from "./view.ts";
import { work } from "./worker.ts";

async function start(): Promise<void> {
  // Without TLS a browser has none, except on the machine itself.
  navigator.serviceWorker?.register("page.js").catch(() => {});
  const { page, account = "" } = document.body.dataset;
  if (page === "login") return;
  const fresh = page === "review" ? review() : 0;
  let leftAt = Number.POSITIVE_INFINITY;
  // A phone keeps pages open for days: one that is looked at again is read again, a review on another day or after a while.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) leftAt = Date.now();
    else if (Date.now() > Math.min(fresh, leftAt + away)) void readAgain();
  });
  if (page === "decks") await sendKept(account);
}

/** A review that was left for longer, in milliseconds, is read again: its cards may have been answered elsewhere. */
const away = 600_000;

/** Where the service cannot be reached the page stays as it is. */
async function readAgain(): Promise<void> {
  const answer = await fetch("page.css", { method: "HEAD" }).catch(() => undefined);
  if (answer?.ok) location.reload();
}

/** What was answered without a connection is sent from any page. */
async function sendKept(account: string): Promise<void> {
  const log = new BrowserLog(account);
  const recording = recordingOf(log, log.read());
  if (recording.status?.waiting === 0) return;
  await recording.flush();
  const { waiting = 0, refused = [] } = recording.status ?? {};
  const lost = refused.map(({ reason }) => `Not recorded: ${reason}.`);
  // The figures are those of before. What this browser could not note as sent would be sent again after each reload.
  if (lost.length === 0 && openTasks(log.read()).length === 0) location.reload();
  say([...(waiting === 0 ? [] : [`Answers kept here until sent: ${waiting}.`]), ...new Set(lost)].join(" "));
}

/** @returns the last instant of the day whose cards it asks (epoch milliseconds) */
function review(): number {
  const info = JSON.parse(element("session").textContent) as StudySession;
  const session: Session<PageCard> = openSession(info, new BrowserLog(info.account), () => view.draw());
  const view = new View(session);
  view.draw();
  listen(session, view);
  return info.day[1];
}

function commandsOf(session: Session<PageCard>): Readonly<Record<string, (key: string) => void>> {
  const isHidden = () => toReveal(session.state) > 0;
  const grade = (remembered: boolean) => (key: string) =>
    isHidden() ? session.say(says.notShown) : session.act({ type: "grade", remembered, key });
  return {
    next(key) {
      if (key === " " && scrollsOn()) session.act({ type: "page", key });
      else if (isHidden()) session.act({ type: "reveal", key });
      else grade(true)(key);
    },
    forgot: grade(false),
    remembered: grade(true),
    undo: () => session.act({ type: "undo" }),
    skip: () => session.act({ type: "skip" }),
    "not-today": () => session.act({ type: "remove", change: "put-off" }),
    hint() {
      session.act({ type: "hint" });
      if (document.body.dataset["asks"] === "typing") element("typed").focus();
    },
    play: () => void [...element("card").querySelectorAll("audio")].at(-1)?.play(),
    typing: () => session.act({ type: "reveal", key: "enter" }),
    async done() {
      await session.recording.flush();
      await fetch("done", { method: "POST" }).catch(() => {});
      session.say("You can close this page.", true);
    },
  };
}

/** Shows more of a card that goes on below the controls, as Space does on any page. @returns whether it did */
function scrollsOn(): boolean {
  const { top } = element("controls").getBoundingClientRect();
  const isMore = element("card").getBoundingClientRect().bottom > top + 1;
  if (isMore) scrollBy(0, top * 0.9);
  return isMore;
}

/** The keys of the terminal, as it names them. */
const keyNames: Readonly<Record<string, string>> = { " ": "space", Enter: "enter" };

function listen(session: Session<PageCard>, view: View): void {
  const commands = commandsOf(session);
  document.addEventListener("click", (event) => {
    const button = (event.target as Element).closest("button");
    if (button?.form === null) commands[button.id]?.("tap");
    // A tap on the card itself reveals.
    const isTap = isIn(event, "#card") && !isIn(event, "a, button, summary, audio, video, pre");
    if (isTap && getSelection()?.isCollapsed !== false && document.body.dataset["asks"] === "reveal")
      commands["next"]?.("tap");
  });
  element("typing").addEventListener("submit", (event) => {
    event.preventDefault();
    commands["typing"]?.("enter");
  });
  document.addEventListener("keydown", (event) => {
    const { key, ctrlKey, altKey, metaKey } = event;
    const command = commandOf(keyNames[key] ?? key) ?? "";
    if (commands[command] === undefined || ctrlKey || altKey || metaKey) return;
    if (isOver(session.state) && command !== "undo") return;
    const isPressed = keyNames[key] !== undefined && isIn(event, "a, button, summary, audio, video");
    if (isPressed || isIn(event, "input")) return;
    event.preventDefault();
    // Held down it does nothing more.
    if (!event.repeat) commands[command]?.(key);
  });
  const send = () => void session.recording.flush();
  addEventListener("online", send);
  setInterval(send, 10_000);
  addEventListener("answered", () => view.draw());
  addEventListener("storage", () => {
    session.dropAnswered();
    view.draw();
  });
}

const isIn = ({ target }: Event, selector: string): boolean => (target as Element).closest(selector) !== null;

/** The one script of the page, and of its worker. */
if (typeof document === "undefined") work(globalThis as unknown as ServiceWorkerGlobalScope);
else void start();
