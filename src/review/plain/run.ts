import type { EndSignal } from "../../terminal/stage.ts";
import { Play, type SessionResult } from "../session/play.ts";
import { cannotRecord } from "../session/recording.ts";
import { isOver } from "../session/state.ts";
import { type PlainSettings, Reader } from "./reader.ts";

/** The same session line by line: for screen readers, terminals that know no escapes, and `--plain`. */
export async function runPlain(settings: PlainSettings): Promise<SessionResult> {
  const { recording, signal } = settings;
  let changed = () => {};
  const play = new Play(settings, () => changed());
  const reader = new Reader(settings, play, (done) => {
    return new Promise<boolean>((resolve) => {
      changed = () => {
        if (reader.over || done()) resolve(!reader.over);
      };
      changed();
    });
  });
  signal.addEventListener("abort", () => changed(), { once: true });
  try {
    if (recording.recorded === "log")
      reader.print(cannotRecord, "The answers are kept in the log on this machine.");
    else if (recording.notice !== undefined) reader.print(recording.notice);
    while (!reader.over && !isOver(play.session.state)) await reader.turn();
    const finished = isOver(play.session.state);
    if (finished) await recording.flush(signal);
    return { ended: endSignal(signal) ?? (finished ? "finished" : "quit"), play };
  } finally {
    play.close();
  }
}

/** The signal that ended it, if one did. Ctrl-C between two questions quits, as it does at one. */
function endSignal({ reason }: AbortSignal): EndSignal | undefined {
  const signal = reason instanceof Object && "signal" in reason ? (reason.signal as EndSignal) : undefined;
  return signal === "SIGINT" ? undefined : signal;
}
