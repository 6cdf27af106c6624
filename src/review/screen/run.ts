import { type Scene, Stage } from "../../terminal/stage.ts";
import { fits, panelLines } from "../../terminal/view.ts";
import { panelOf } from "../panels.ts";
import { Play, type ReviewSettings, type SessionResult } from "../session/play.ts";
import { isOver } from "../session/state.ts";
import { CardComposer, type Styles } from "./body.ts";
import { buildView } from "./build-view.ts";
import { Controller } from "./controller.ts";

interface ScreenSettings extends ReviewSettings {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly colour: boolean;
  readonly styles: Styles;
}

/** Runs a session on the terminal's alternate screen; resolves when it is over and the terminal given back. */
export async function runScreen(settings: ScreenSettings): Promise<SessionResult> {
  const stage = new Stage(settings);
  await stage.open();
  let over = false;
  let changed = () => {};
  const play = new Play(settings, () => changed());
  try {
    const ended = await stage.play<SessionResult["ended"]>((end) => {
      changed = () => {
        // The session is over: what waits has its next chance.
        if (!over && isOver(play.session.state)) void settings.recording.flush();
        over = isOver(play.session.state);
        stage.draw();
      };
      return sceneOf(settings, play, stage, end);
    });
    return { ended, play };
  } finally {
    changed = () => {};
    play.close();
    stage.close();
  }
}

function sceneOf(
  { world, styles, colour }: ScreenSettings,
  play: Play,
  stage: Stage,
  end: (how: SessionResult["ended"]) => void,
): Scene {
  const { session } = play;
  const quit = () => end(isOver(session.state) ? "finished" : "quit");
  const controller: Controller = new Controller({
    play,
    handOver: (run) => stage.handOver(run),
    composer: new CardComposer(world.render, styles),
    size: () => ({ columns: stage.size().columns, rows: stage.size().rows - 2 }),
    panelRows: () =>
      panelLines(panelOf(controller.mode, play), { columns: stage.size().columns, colour }).length,
    quit,
  });
  world.onPictures(() => {
    controller.pane.renew();
    stage.draw();
  });
  /** Which cards were prepared last. */
  let prepared = "";
  /** After the frame: pictures of the next cards must not hold up a key. */
  const prepareSoon = () => {
    const [first, next = ""] = session.state.position.queue.take(2);
    const loaded = `${first} ${next} ${session.card(next) !== undefined}`;
    if (prepared === loaded) return;
    prepared = loaded;
    setTimeout(() => controller.pane.prepare(), 20).unref();
  };
  return {
    key(key) {
      if (fits(stage.size()) || ["ctrl-c", "ctrl-z", "ctrl-l"].includes(key.name)) controller.press(key);
      // What cannot be seen is neither revealed nor graded.
      else if (key.name === "q") quit();
    },
    draw(size) {
      controller.update();
      prepareSoon();
      return buildView({ play, controller, colour, ...size });
    },
    drawn() {
      if (fits(stage.size())) controller.drawn();
      session.sideDrawn();
    },
    ended: end,
  };
}
