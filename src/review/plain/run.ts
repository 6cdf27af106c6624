import { choiceSentence } from "../screen/choice.ts";
import { problemsOf, type SessionResult, startEngine, summaryOf } from "../session/play.ts";
import { isOver } from "../session/state.ts";
import { createSpeaker, type SpeakerSettings } from "./speaker.ts";
import { startTalk, type TalkSettings } from "./talk.ts";

/** The same session line by line: for screen readers, terminals that know no escapes, and `--plain`. */

export type PlainSettings = SpeakerSettings & TalkSettings;

export async function runPlain(settings: PlainSettings): Promise<SessionResult> {
  const { recording } = settings;
  const talk = startTalk(settings);
  let changed = () => {};
  const engine = startEngine(settings, recording, () => changed());
  /** Resolves when something about the session is true; false if the talk ends before. */
  const until = (done: () => boolean) =>
    new Promise<boolean>((resolve) => {
      changed = () => {
        if (talk.over() || done()) resolve(!talk.over());
      };
      changed();
      talk.onEnd(() => resolve(false));
    });
  try {
    if (recording.recorded === "log")
      talk.print(choiceSentence, "The answers are kept in the log on this machine.");
    else if (recording.notice !== undefined) talk.print(recording.notice);
    const speaker = createSpeaker(settings, engine, talk, until);
    while (!talk.over() && !isOver(engine.state())) await speaker.turn();
    const finished = isOver(engine.state());
    if (finished) await recording.outbox?.flush(settings.signal);
    return {
      ended: talk.signal() ?? (finished ? "finished" : "quit"),
      recording,
      idle: engine.idle,
      summary: () => summaryOf(settings, recording, engine),
      problems: () => problemsOf(engine, speaker.told()),
    };
  } finally {
    engine.close();
    talk.end();
  }
}
