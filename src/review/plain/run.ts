import { Play, type ReviewSettings, type SessionResult } from "../session/play.ts";
import { cannotRecord } from "../session/recording.ts";
import { isOver } from "../session/state.ts";
import { Reader } from "./reader.ts";
import { Talk, type TalkSettings } from "./talk.ts";

interface PlainSettings extends ReviewSettings, TalkSettings {
  /** Columns of the terminal, now. */
  width(): number;
}

/** The same session line by line: for screen readers, terminals that know no escapes, and `--plain`. */
export async function runPlain(settings: PlainSettings): Promise<SessionResult> {
  const { recording } = settings;
  const talk = new Talk(settings);
  let changed = () => {};
  const play = new Play(settings, () => changed());
  const until = (done: () => boolean) =>
    new Promise<boolean>((resolve) => {
      changed = () => {
        if (talk.over || done()) resolve(!talk.over);
      };
      changed();
    });
  settings.signal.addEventListener("abort", () => changed(), { once: true });
  try {
    if (recording.recorded === "log")
      talk.print(cannotRecord, "The answers are kept in the log on this machine.");
    else if (recording.notice !== undefined) talk.print(recording.notice);
    const reader = new Reader({ play, talk, width: settings.width, until });
    while (!talk.over && !isOver(play.session.state)) await reader.turn();
    const finished = isOver(play.session.state);
    if (finished) await recording.flush(settings.signal);
    return { ended: talk.signal ?? (finished ? "finished" : "quit"), play };
  } finally {
    play.close();
  }
}
