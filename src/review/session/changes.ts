import type { World } from "../ports.ts";
import type { Action, Change, Past } from "./state.ts";

/** Changes of cards (archive, trash, tags, not today): sent one after the other, in the order in which they were made. */
export class CardChanges {
  readonly #send: World["change"];
  #last: Promise<void> = Promise.resolve();
  open = 0;
  /** Those that could not be made and were not reported yet, in the order in which they failed: which, and why. */
  readonly failures: string[] = [];

  constructor(send: World["change"]) {
    this.#send = send;
  }

  /** Resolves when none is under way. */
  idle(): Promise<void> {
    return this.#last;
  }

  /** @param failed called with a sentence if the change could not be made */
  make(cardId: string, change: Change, inverse: boolean, failed: (sentence: string) => void): void {
    this.open++;
    this.#last = this.#last.then(async () => {
      const outcome = await this.#send(cardId, change);
      this.open--;
      if (outcome.ok) return;
      const done = inverse ? "taken back" : "made";
      this.failures.push(`a change of card ${cardId} could not be ${done}: ${outcome.reason}`);
      failed(`The change of the card could not be ${done}: ${outcome.reason}`);
    });
  }
}

const doneRemoval = { archive: "Archived", trash: "Put in the trash", "put-off": "Not today" } as const;

/** What a change of the card did, in a sentence; undefined for other actions. */
export function doneText(action: Action): string | undefined {
  if (action.type === "remove") return `${doneRemoval[action.change]}; u takes it back.`;
  if (action.type !== "tags") return undefined;
  return action.after.length === 0 ? "The card has no tags now." : `Tags: ${action.after.join(", ")}.`;
}

type Name = string | null | undefined;

export function undoneText({ undo }: Past, nameOf: (cardId: string) => Name): string {
  if (undo === undefined) return "Took back the skip.";
  if (undo.type !== "change") return undoneAnswer(undo.answer.remembered, nameOf(undo.answer.cardId));
  return undoneOf(undoneThing(undo.change), nameOf(undo.cardId));
}

/** The same for an answer of an earlier session. */
export const undoneAnswer = (remembered: boolean, name: Name): string =>
  undoneOf(remembered ? "“remembered”" : "“forgot”", name);

/** The name is cut, so that the message takes one line. */
function undoneOf(thing: string, name: Name): string {
  const letters = [...(name ?? "").replace(/\s+/g, " ")];
  const short = letters.length > 40 ? `${letters.slice(0, 39).join("")}…` : letters.join("");
  return `Took back ${thing}${short === "" ? "" : ` of “${short}”`}.`;
}

function undoneThing(inverse: Change): string {
  if ("tags" in inverse) return "the tags";
  if ("putOff" in inverse) return "“not today”";
  return "archived" in inverse ? "the archiving" : "the trashing";
}
