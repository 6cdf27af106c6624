import { expect, it } from "vitest";
import type { World } from "../../src/review/ports.ts";
import { CardComposer } from "../../src/review/screen/body.ts";
import { Controller } from "../../src/review/screen/controller.ts";
import { emptyHistory } from "../../src/review/session/history.ts";
import { Play } from "../../src/review/session/play.ts";
import { Recording } from "../../src/review/session/recording.ts";
import { placeText } from "../../src/review/session/state.ts";
import { Days } from "../../src/schedule/days.ts";
import { Scheduler } from "../../src/schedule/index.ts";
import { waitFor } from "../support/wait-for.ts";

/** Two cards on a machine where each side takes 400 ms to be drawn. */
function slowSession() {
  let tick = 0;
  const cards = ["a", "b"].map((id) => ({ id, content: `${id} front\n---\n${id} back` }));
  const world: World = {
    load: async (cardId) => ({ kind: "card", card: { id: cardId, content: `${cardId} front\n---\nback` } }),
    render() {
      tick += 400;
      return ["a line"];
    },
    change: async () => ({ ok: true }),
    edit: async () => "",
    open: async () => "",
    play: async () => undefined,
    silence() {},
    forecast: async () => undefined,
    deckPath: (id) => id,
    onPictures() {},
  };
  const days = new Days({ timeZone: "UTC" });
  const recording = new Recording({ recorded: "none", now: () => 0 });
  const play = new Play(
    {
      queue: {
        cards,
        logged: new Map(),
        resumed: {},
      },
      history: emptyHistory,
      world,
      clock: { now: () => 1_700_000_000_000 + tick, ticks: () => tick },
      days,
      scheduler: new Scheduler({ days }),
      typing: false,
      autoplay: false,
      newId: () => "id",
      recording,
    },
    () => {},
  );
  const controller = new Controller({
    play,
    handOver: (run) => run(),
    composer: new CardComposer(world.render, { dim: (text) => text }),
    size: () => ({ columns: 80, rows: 22 }),
    panelRows: () => 0,
    quit() {},
  });
  const draw = () => {
    controller.update();
    controller.drawn();
    play.session.sideDrawn();
  };
  const later = (ms: number) => {
    tick += ms;
  };
  return { controller, play, draw, later };
}

it("keys that came together with the one that revealed do not grade, however long drawing takes", async () => {
  const { controller, play, draw, later } = slowSession();
  await waitFor(() => play.session.card("a") !== undefined, "the first card");
  draw();
  for (let i = 0; i < 5; i++) controller.press({ name: "enter" });
  for (const name of ["2", "1", "r"]) controller.press({ name });
  draw();
  expect(placeText(play.session.state)).toBe("1 of 2");
  controller.press({ name: "2" });
  expect(placeText(play.session.state)).toBe("1 of 2");
  later(150);
  controller.press({ name: "2" });
  expect(placeText(play.session.state)).toBe("2 of 2");
  play.close();
});

it("a grade key that comes too soon says so, and so does a change of the card", async () => {
  const { controller, play, draw, later } = slowSession();
  await waitFor(() => play.session.card("a") !== undefined, "the first card");
  draw();
  controller.press({ name: "2" });
  expect(play.session.message).toBe("Not all of the card is shown yet.");
  controller.press({ name: "space" });
  draw();
  controller.press({ name: "2" });
  expect(play.session.message).toBe("Too soon: press it again to grade.");
  // A key that is held down is not meant as a grade.
  controller.press({ name: "space" });
  expect(play.session.message).toBeUndefined();
  later(150);
  controller.press({ name: "t" });
  controller.press({ name: "x", text: "x" });
  controller.press({ name: "enter" });
  expect(play.session.message).toBe("Tags: x.");
  controller.press({ name: "a" });
  expect(play.session.message).toBe("Archived; u takes it back.");
  controller.press({ name: "u" });
  expect(play.session.message).toMatch(/^Took back the archiving/);
  play.close();
});

it("a character without a meaning says where the keys are; other keys and a paste say nothing", async () => {
  const { controller, play, draw } = slowSession();
  await waitFor(() => play.session.card("a") !== undefined, "the first card");
  draw();
  controller.press({ name: "5", text: "5" });
  expect(play.session.message).toBe('"5" is no key; ? lists them.');
  for (const key of [{ name: "left" }, { name: "ctrl-b" }, { name: "paste", text: "5" }]) {
    controller.press(key);
    expect(play.session.message).toBeUndefined();
  }
  play.close();
});
