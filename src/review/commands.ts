import type { CardLink } from "../cards/links.ts";
import { hasClosed } from "../cards/passes.ts";
import { type KeyCommand, type ScrollCommand, says } from "./keymap.ts";
import {
  noOtherCard,
  revealedLinks,
  revealedSounds,
  type ShownCard,
  tagLine,
  tagsUnknown,
} from "./session/card.ts";
import type { Play } from "./session/play.ts";
import { tooSoon } from "./session/reducer.ts";
import { toReveal } from "./session/state.ts";

/** What the screen and the plain mode do each in its own way. */
export interface FrontEnd {
  /** Whether the user has seen all that is revealed: nothing else is graded. */
  isSideSeen(): boolean;
  /** Shows more of a long card; false if all of it was shown. */
  page?(key: string): boolean;
  /** With the hint the answer may be typed after all. */
  hintOpened?(): void;
  confirmTrash(): void | Promise<void>;
  editTags(card: ShownCard, line: ReturnType<typeof tagLine>): void | Promise<void>;
  chooseLink(card: ShownCard, links: readonly CardLink[]): void | Promise<void>;
  openLink(card: ShownCard, link: CardLink): void | Promise<void>;
  play(card: ShownCard, sounds: readonly string[]): void | Promise<void>;
  edit(card: ShownCard): void | Promise<void>;
  show(panel: "help" | "details"): void;
  quit(): void;
}

/** What a key of the session can stand for, in both front ends. */
export type SessionCommand = Exclude<KeyCommand, ScrollCommand>;

/** Does what a key stands for. @param shown undefined while the card is being fetched */
export function perform(
  command: SessionCommand,
  key: string,
  shown: ShownCard | undefined,
  { session }: Play,
  front: FrontEnd,
): void | Promise<void> {
  switch (command) {
    case "next":
      if (front.page?.(key)) return;
      if (toReveal(session.state) > 0) return session.act({ type: "reveal", key });
      if (front.isSideSeen()) session.act({ type: "grade", remembered: true, key });
      return;
    case "forgot":
    case "remembered":
      if (toReveal(session.state) > 0) return session.say(says.notShown);
      if (!front.isSideSeen()) return session.say(tooSoon);
      return session.act({ type: "grade", remembered: command === "remembered", key });
    case "undo":
      return session.act({ type: "undo" });
    case "skip":
      if (session.state.position.queue.length < 2) return session.say(noOtherCard);
      return session.act({ type: "skip" });
    case "not-today":
      return session.act({ type: "remove", change: "put-off" });
    case "archive":
      return session.act({ type: "remove", change: "archive" });
    case "trash":
      return front.confirmTrash();
    case "help":
    case "details":
      return front.show(command);
    case "quit":
      return front.quit();
    default:
      return shown && performOn(shown, command, session, front);
  }
}

function performOn(
  shown: ShownCard,
  command: "hint" | "edit" | "tags" | "play" | "open",
  session: Play["session"],
  front: FrontEnd,
): void | Promise<void> {
  const { card, pass } = shown;
  switch (command) {
    case "hint":
      if (!hasClosed(card.presentation, pass, shown)) return session.say(says.noHint);
      front.hintOpened?.();
      return session.act({ type: "hint" });
    case "edit":
      return front.edit(shown);
    case "tags":
      return card.partial ? session.say(tagsUnknown) : front.editTags(shown, tagLine(card));
    case "play": {
      const sounds = revealedSounds(card, pass, shown);
      return sounds.length === 0 ? session.say(says.noSound) : front.play(shown, sounds);
    }
    case "open": {
      const [first, ...others] = revealedLinks(card, pass, shown);
      if (first === undefined) return session.say(says.noLink);
      return others.length === 0 ? front.openLink(shown, first) : front.chooseLink(shown, [first, ...others]);
    }
  }
}
