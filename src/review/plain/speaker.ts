import { type CardLink, cardLinks } from "../../cards/links.ts";
import { stepAt } from "../../cards/passes.ts";
import { visible } from "../../output/sanitize.ts";
import { linkText, oneLine, panelOf, plainHelpRows } from "../panels.ts";
import { noOtherCard } from "../screen/controller.ts";
import { manualTags, parseTags, passNow, tagLine, tagsUnknown } from "../session/card.ts";
import { type Recording, type SessionSettings, summaryOf } from "../session/play.ts";
import { GUARD_MS } from "../session/reducer.ts";
import type { Engine } from "../session/session.ts";
import { currentCard, isOver, placeOf, toReveal } from "../session/state.ts";
import type { Talk } from "./talk.ts";

export interface SpeakerSettings extends SessionSettings {
  readonly recording: Recording;
  /** Columns of the terminal, now. */
  width(): number;
}

/** Whether a line grades a card that is shown whole. */
const isGrade = (line: string): boolean => ["", "1", "f", "2", "r"].includes(line);

/** The line would take it for a key. */
const unwritable = "A tag of this card holds a control character: e edits the card.";

/** Reads the session out and does what is answered. */
export function createSpeaker(
  settings: SpeakerSettings,
  engine: Engine,
  talk: Talk,
  until: (done: () => boolean) => Promise<boolean>,
) {
  const { world } = settings;
  /** What was last read out, so that nothing is read twice. */
  let read = "";
  /** How many failed changes have been told. */
  let told = 0;

  const current = () => {
    const cardId = currentCard(engine.state());
    const card = cardId === undefined ? undefined : engine.card(cardId);
    const pass = card && passNow(engine.state(), card);
    return cardId === undefined || card === undefined || pass === undefined
      ? undefined
      : { cardId, card, pass };
  };

  /** Reads out what is new since the last time. */
  const readOut = () => {
    const now = current();
    if (now === undefined) return;
    const state = engine.state();
    const { step } = state.position;
    // Another answer, skip or undo lies between two times that the same pass is read.
    const moves = state.history.filter(({ position }) => position !== undefined).length;
    const place = `${moves} ${now.cardId} ${now.pass.kind} ${now.pass.group}`;
    if (read === `${place} ${step}`) return;
    const fresh = read !== `${place} ${step - 1}`;
    const shown = stepAt(now.pass, step);
    if (fresh) {
      const deckId = engine.due.get(now.cardId)?.["deck-id"] ?? "";
      const { at, all } = placeOf(state);
      talk.print("", `Card ${at} of ${all}. ${oneLine(world.deckPath(deckId))}`);
    }
    for (const { index, cloze } of fresh ? shown : shown.slice(-1)) {
      const side = now.card.presentation.sides[index];
      const width = Math.max(20, settings.width() - 1);
      if (side !== undefined) talk.print("", ...world.render(side, { width, cloze }), "");
    }
    read = `${place} ${step}`;
  };

  const saying = async (work: Promise<string>) =>
    talk.print(
      oneLine(await work.catch((error: unknown) => (error instanceof Error ? error.message : String(error)))),
    );

  const editTags = async (now: NonNullable<ReturnType<typeof current>>) => {
    if (now.card.partial) return talk.print(tagsUnknown);
    const before = manualTags(now.card);
    const { text, separator } = tagLine(before);
    if (visible(text) !== text || /[\t\n]/.test(text)) return talk.print(unwritable);
    const answer = await talk.ask(`Tags (with ${separator}s between): `, text);
    if (answer === undefined) return;
    const after = parseTags(answer, separator);
    if (after.join("\n") !== before.join("\n")) engine.act({ type: "tags", before, after });
  };

  const openLink = async (now: NonNullable<ReturnType<typeof current>>) => {
    const links = cardLinks(now.card.presentation.sides).filter(({ kind }) => kind !== "card");
    if (links.length === 0) return talk.print("There is nothing to open on this card.");
    const link = links.length === 1 ? links[0] : await askWhich(links);
    if (link !== undefined) await saying(world.open(now.cardId, link));
  };

  /** By number: of a line there may be any. */
  const askWhich = async (links: readonly CardLink[]): Promise<CardLink | undefined> => {
    talk.print(...links.map((link, index) => `${index + 1}  ${linkText(link)}`));
    const answer = await talk.ask("Which one? ");
    return /^\d+$/.test(answer ?? "") ? links[Number(answer) - 1] : undefined;
  };

  const details = () => {
    const panel = panelOf(
      { type: "details" },
      {
        engine,
        date: settings.date,
        logged: settings.queue.logged,
        deckPath: world.deckPath,
        summary: () => summaryOf(settings, settings.recording, engine),
      },
    );
    talk.print(...panel.rows.map(({ name, value }) => (name === "" ? `  ${value}` : `${name}: ${value}`)));
  };

  const act = async (key: string): Promise<void> => {
    const now = current();
    if (now === undefined) return;
    const hidden = toReveal(engine.state()) > 0;
    const grade = (remembered: boolean) => engine.act({ type: "grade", remembered, key });
    if (key === "" && hidden) return engine.act({ type: "reveal", key });
    if (key !== "" && isGrade(key) && hidden) return talk.print("Not all of the card is shown yet.");
    if (key === "" || key === "2" || key === "r") return grade(true);
    if (key === "1" || key === "f") return grade(false);
    if (key === "u") return engine.act({ type: "undo" });
    if (key === "s" && engine.state().position.queue.length < 2) return talk.print(noOtherCard);
    if (key === "s") return engine.act({ type: "skip" });
    if (key === "a") return engine.act({ type: "remove", change: "archive" });
    if (key === "x") {
      const answer = (await talk.ask("Trash this card? (y/n) ")) ?? "";
      return /^y(es)?$/i.test(answer) ? engine.act({ type: "remove", change: "trash" }) : undefined;
    }
    if (key === "t") return editTags(now);
    if (key === "o") return openLink(now);
    if (key === "i") return details();
    if (key === "e") {
      engine.act({ type: "pause" });
      await saying(talk.aside(() => world.edit(now.cardId)));
      await engine.refresh(now.cardId);
      read = "";
      return engine.act({ type: "resume" });
    }
    if (key === "?") return talk.print(...plainHelpRows.map(({ name, value }) => `${name}: ${value}`));
    if (key === "q") return talk.end();
    talk.print(`${oneLine(JSON.stringify(key))} is no key; ? lists them.`);
  };

  /** A change that fails does so while something else is asked, or while the user thinks: it is told at the next turn. */
  const tellFailures = (): boolean => {
    const fresh = engine.failures().slice(told);
    told += fresh.length;
    if (fresh.length > 0) talk.print(...fresh.map((text) => oneLine(`Note: ${text}`)));
    return fresh.length > 0;
  };

  return {
    told: () => told,
    /** Reads out what is new, asks, and does what is answered. */
    async turn(): Promise<void> {
      if (current() === undefined) {
        if (
          !(await until(
            () => engine.trouble() !== undefined || current() !== undefined || isOver(engine.state()),
          ))
        )
          return;
        if (current() === undefined && !isOver(engine.state())) {
          talk.print(
            `The service does not answer (${oneLine(engine.trouble() ?? "")}); trying again. Ctrl-C quits.`,
          );
          await until(() => current() !== undefined || isOver(engine.state()));
        }
        return;
      }
      tellFailures();
      readOut();
      const hidden = toReveal(engine.state()) > 0;
      const shownAt = settings.clock.ticks();
      const answer = await talk.ask(
        hidden ? "Enter to reveal (? for all keys): " : "Did you remember? 2 or Enter yes, 1 no: ",
      );
      if (answer === undefined) return;
      // What was typed before the card could be read is no grade.
      if (!hidden && isGrade(answer) && settings.clock.ticks() - shownAt < GUARD_MS) return;
      await act(answer);
      const message = engine.message();
      if (!tellFailures() && message !== undefined) talk.print(oneLine(message));
      engine.say(undefined);
    },
  };
}
