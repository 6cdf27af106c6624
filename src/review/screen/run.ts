import { type PanelInput, panelOf } from "../panels.ts";
import {
  problemsOf,
  type Recording,
  type SessionResult,
  type SessionSettings,
  startEngine,
  startStopwatch,
  summaryOf,
} from "../session/play.ts";
import type { Engine } from "../session/session.ts";
import { isOver } from "../session/state.ts";
import { createComposer } from "./body.ts";
import { buildView, fits } from "./build-view.ts";
import { type Choice, choiceOf, choiceView } from "./choice.ts";
import { createController } from "./controller.ts";
import { createStage, type Scene, type Stage } from "./stage.ts";
import { panelHeight, wrapPanel } from "./view.ts";

export interface ScreenSettings extends SessionSettings {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly colour: boolean;
  dim(text: string): string;
}

/**
 * Runs a session on the terminal's alternate screen; resolves when it is over and the terminal given back, with nothing
 * if the user quit before it began.
 */
export async function runScreen(settings: ScreenSettings): Promise<SessionResult | undefined> {
  const stage = createStage(settings);
  await stage.open();
  try {
    const recording = await choose(settings, stage);
    return recording && (await play(settings, recording, stage));
  } finally {
    stage.close();
  }
}

/** Asks where the answers should go, where that has to be asked. */
async function choose(settings: ScreenSettings, stage: Stage): Promise<Recording | undefined> {
  const { recording, world, colour } = settings;
  if (typeof recording !== "function") return recording;
  const choice = await stage.play<Choice | undefined>((end) => ({
    key(key) {
      const made = choiceOf(key);
      if (made === "quit" || (made !== undefined && fits(stage.terminal.size())))
        end(made === "quit" ? undefined : made);
    },
    draw: ({ columns, rows }) => ({ view: choiceView(columns, rows, colour) }),
    ended: () => end(undefined),
  }));
  if (choice === undefined) return undefined;
  await world.choose(choice);
  return recording(choice);
}

async function play(settings: ScreenSettings, recording: Recording, stage: Stage): Promise<SessionResult> {
  const { outbox } = recording;
  let over = false;
  let changed = () => {};
  const engine = startEngine(settings, recording, () => changed());
  try {
    const ended = await stage.play<SessionResult["ended"]>((end) => {
      const scene = sessionScene(settings, recording, stage, engine, end);
      changed = () => {
        // The session is over: what waits has its next chance.
        if (!over && isOver(engine.state())) void outbox?.flush();
        over = isOver(engine.state());
        stage.draw();
      };
      return scene;
    });
    return {
      ended,
      recording,
      idle: engine.idle,
      summary: () => summaryOf(settings, recording, engine),
      problems: () => problemsOf(engine),
    };
  } finally {
    engine.close();
  }
}

function sessionScene(
  settings: ScreenSettings,
  recording: Recording,
  stage: Stage,
  engine: Engine,
  end: (how: SessionResult["ended"]) => void,
): Scene {
  const { clock, world, colour, date } = settings;
  const { terminal } = stage;
  const stopwatch = startStopwatch(clock);
  const panels: PanelInput = {
    engine,
    date,
    logged: settings.queue.logged,
    deckPath: world.deckPath,
    summary: () => summaryOf(settings, recording, engine),
  };
  const bodyRows = () => terminal.size().rows - 2;
  const quit = () => end(isOver(engine.state()) ? "finished" : "quit");
  const controller = createController({
    engine,
    clock,
    world: { open: world.open, edit: (cardId) => terminal.handOver(() => world.edit(cardId)) },
    composer: createComposer(world.render, settings.dim),
    size: () => ({ columns: terminal.size().columns, rows: bodyRows() }),
    panelRows() {
      const panel = wrapPanel(panelOf(controller.mode(), panels), terminal.size());
      return panel.rows.length + bodyRows() - panelHeight(panel, bodyRows() + 2);
    },
    quit,
    suspend: terminal.suspend,
    redraw: stage.redraw,
  });
  return {
    key(key) {
      if (fits(terminal.size()) || ["ctrl-c", "ctrl-z", "ctrl-l"].includes(key.name)) controller.press(key);
      // What cannot be seen is neither revealed nor graded.
      else if (key.name === "q") quit();
    },
    draw({ columns, rows }) {
      controller.update();
      const { notice, outbox } = recording;
      const elapsed = stopwatch.elapsed();
      return buildView({
        ...panels,
        controller,
        columns,
        rows,
        colour,
        elapsed,
        notice,
        outbox: outbox?.status(),
      });
    },
    paused() {
      stopwatch.pause();
      engine.act({ type: "pause" });
    },
    resumed() {
      stopwatch.resume();
      engine.act({ type: "resume" });
    },
    ended: end,
  };
}
