import type { Key } from "../../terminal/keys.ts";
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
  try {
    return await play(settings, stage);
  } finally {
    stage.close();
  }
}

async function play(settings: ScreenSettings, stage: Stage): Promise<SessionResult> {
  let over = false;
  let changed = () => {};
  const running = new Play(settings, () => changed());
  try {
    const ended = await stage.play<SessionResult["ended"]>((end) => {
      const scene = new SessionScene(settings, running, stage, end);
      changed = () => {
        // The session is over: what waits has its next chance.
        if (!over && isOver(running.session.state)) void settings.recording.flush();
        over = isOver(running.session.state);
        stage.draw();
      };
      settings.world.onPictures(() => {
        scene.picturesCame();
        stage.draw();
      });
      return scene;
    });
    return running.result(ended);
  } finally {
    changed = () => {};
    running.close();
  }
}

/** The session on the screen. */
class SessionScene implements Scene {
  readonly #settings: ScreenSettings;
  readonly #play: Play;
  readonly #stage: Stage;
  readonly #end: (how: SessionResult["ended"]) => void;
  readonly #controller: Controller;
  /** Which cards were prepared last. */
  #prepared = "";

  constructor(
    settings: ScreenSettings,
    running: Play,
    stage: Stage,
    end: (how: SessionResult["ended"]) => void,
  ) {
    const { world, styles } = settings;
    const { terminal } = stage;
    this.#settings = settings;
    this.#play = running;
    this.#stage = stage;
    this.#end = end;
    this.#controller = new Controller({
      play: running,
      handOver: (run) => terminal.handOver(run),
      composer: new CardComposer(world.render, styles),
      size: () => ({ columns: terminal.size().columns, rows: this.#bodyRows() }),
      panelRows: () => this.#panelRows(),
      quit: () => this.#quit(),
      suspend: () => terminal.suspend(),
      redraw: () => stage.redraw(),
    });
  }

  key(key: Key): void {
    if (fits(this.#stage.terminal.size()) || ["ctrl-c", "ctrl-z", "ctrl-l"].includes(key.name))
      this.#controller.press(key);
    // What cannot be seen is neither revealed nor graded.
    else if (key.name === "q") this.#quit();
  }

  draw({ columns, rows }: { readonly columns: number; readonly rows: number }) {
    this.#controller.update();
    this.#prepareSoon();
    const { colour } = this.#settings;
    return buildView({ play: this.#play, controller: this.#controller, columns, rows, colour });
  }

  drawn(): void {
    if (fits(this.#stage.terminal.size())) this.#controller.drawn();
    this.#play.session.sideDrawn();
  }

  paused(): void {
    this.#play.pause();
  }

  resumed(): void {
    this.#play.resume();
  }

  ended(how: SessionResult["ended"]): void {
    this.#end(how);
  }

  picturesCame(): void {
    this.#controller.pane.renew();
  }

  #quit(): void {
    this.#end(isOver(this.#play.session.state) ? "finished" : "quit");
  }

  /** After the frame: pictures of the next cards must not hold up a key. */
  #prepareSoon(): void {
    const next = this.#play.session.state.position.queue.at(1) ?? "";
    const loaded = `${this.#play.session.state.position.queue.at(0)} ${next} ${this.#play.session.card(next) !== undefined}`;
    if (this.#prepared === loaded) return;
    this.#prepared = loaded;
    setTimeout(() => this.#controller.pane.prepare(), 20).unref();
  }

  #bodyRows(): number {
    return this.#stage.terminal.size().rows - 2;
  }

  #panelRows(): number {
    const { columns } = this.#stage.terminal.size();
    return panelLines(panelOf(this.#controller.mode, this.#play), { columns, colour: false }).length;
  }
}
