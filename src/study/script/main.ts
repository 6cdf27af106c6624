import { commandOf, says } from "../../review/keymap.ts";
import type { Session } from "../../review/session/session.ts";
import { isOver, toReveal } from "../../review/session/state.ts";
import type { StudySession } from "../shapes.ts";
import { BrowserLog } from "./log.ts";
import { openSession, type PageCard, recordingOf } from "./play.ts";
import { get } from "./server.ts";
import { element, say, View } from "./view.ts";
import { type WorkerScope, work } from "./worker.ts";

async function start(): Promise<void> {
  // Without TLS a browser has none, except on the machine itself.
  navigator.serviceWorker?.register("page.js").catch(() => {});
  const { page, account = "" } = document.body.dataset;
  if (page === "review") await review();
  if (page === "decks") await sendKept(account);
}

/** What was answered without a connection is sent from any page. */
async function sendKept(account: string): Promise<void> {
  const log = new BrowserLog(account);
  const recording = recordingOf(log, log.read());
  if (recording.status?.waiting === 0) return;
  await recording.flush();
  const { waiting = 0 } = recording.status ?? {};
  say(
    waiting === 0
      ? "What was answered without a connection is sent."
      : `Answers kept here until sent: ${waiting}.`,
  );
}

async function review(): Promise<void> {
  let info: StudySession | undefined;
  try {
    info = await get<StudySession>(`session${location.search}`);
  } catch (error) {
    return say(error instanceof TypeError ? "There is no connection." : (error as Error).message);
  }
  if (info === undefined) return;
  document.body.dataset["account"] = info.account;
  const session: Session<PageCard> = openSession(info, new BrowserLog(info.account), () => view.draw());
  const view = new View(session, new URLSearchParams(location.search).has("type"), info.ends);
  element("controls").hidden = false;
  view.draw();
  listen(session, view);
}

function commandsOf(session: Session<PageCard>, view: View): Readonly<Record<string, (key: string) => void>> {
  const grade = (remembered: boolean) => (key: string) => {
    if (toReveal(session.state) > 0) session.say(says.notShown);
    else session.act({ type: "grade", remembered, key });
  };
  return {
    next(key) {
      if (toReveal(session.state) > 0) session.act({ type: "reveal", key });
      else grade(true)(key);
    },
    forgot: grade(false),
    remembered: grade(true),
    undo: () => session.act({ type: "undo" }),
    skip: () => session.act({ type: "skip" }),
    "not-today": () => session.act({ type: "remove", change: "put-off" }),
    hint: () => session.act({ type: "hint" }),
    play: () => void [...element("card").querySelectorAll("audio")].at(-1)?.play(),
    typing() {
      view.typed(element<HTMLInputElement>("typed").value);
      session.act({ type: "reveal", key: "enter" });
    },
    async done() {
      await session.recording.flush();
      await fetch("done", { method: "POST" }).catch(() => {});
      session.say("You can close this page.", true);
    },
  };
}

/** The keys of the terminal, as it names them. */
const keyNames: Readonly<Record<string, string>> = { " ": "space", Enter: "enter" };

function listen(session: Session<PageCard>, view: View): void {
  const commands = commandsOf(session, view);
  const send = async () => {
    if (session.recording.status?.waiting === 0) return;
    await session.recording.flush();
    view.draw();
  };
  document.addEventListener("click", ({ target }) => {
    const button = (target as Element).closest("button");
    if (button !== null && button.form === null) commands[button.id]?.("tap");
    // A tap on the card itself reveals.
    else if (
      (target as Element).closest("#card") !== null &&
      (target as Element).closest("a, summary, audio, video, pre") === null &&
      getSelection()?.isCollapsed !== false &&
      toReveal(session.state) > 0 &&
      view.wanted === undefined
    )
      commands["next"]?.("tap");
  });
  element("typing").addEventListener("submit", (event) => {
    event.preventDefault();
    commands["typing"]?.("enter");
  });
  document.addEventListener("keydown", (event) => {
    const { key, target, ctrlKey, altKey, metaKey } = event;
    const command = commandOf(keyNames[key] ?? key) ?? "";
    if (commands[command] === undefined || ctrlKey || altKey || metaKey) return;
    if (isOver(session.state) && command !== "undo") return;
    const within = (selector: string) => (target as Element).closest(selector) !== null;
    const isPressed = (key === " " || key === "Enter") && within("a, button, summary, audio, video");
    if (isPressed || within("input")) return;
    event.preventDefault();
    commands[command]?.(key);
  });
  addEventListener("online", () => void send());
  addEventListener("storage", () => {
    session.dropAnswered();
    view.draw();
  });
  setInterval(() => void send(), 10_000);
}

/** The one script of the page, and of its worker. */
if (typeof document === "undefined") work(globalThis as unknown as WorkerScope);
else void start();
