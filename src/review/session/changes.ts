import type { World } from "../ports.ts";
import type { Action, Change, Past } from "./state.ts";

/** Changes of cards (archive, trash, tags, not today): sent one after the other, in the order in which they were made. */
export class CardChanges {
  readonly #send: World["change"];
  #last: Promise<void> = Promise.resolve();
  /** How many are under way. */
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
      this.failures.push(failure(`card ${cardId}`, change, inverse, outcome.reason));
      failed(sentence(failure("the card", change, inverse, outcome.reason)));
    });
  }
}

/** @param what the change was of: the card, by its id where it is not on the screen */
function failure(what: string, change: Change, inverse: boolean, reason: string): string {
  if ("tags" in change)
    return `the tags of ${what} could not be ${inverse ? "taken back" : "changed"}: ${reason}`;
  if ("archived" in change)
    return `${what} could not be ${change.archived ? "archived" : "unarchived"}: ${reason}`;
  if ("putOff" in change)
    return `${what} could not be ${change.putOff ? "put off until tomorrow" : "put back"}: ${reason}`;
  return `${what} could not be ${change.trashed ? "trashed" : "restored"}: ${reason}`;
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const doneRemoval = { archive: "Archived", trash: "Put in the trash", "put-off": "Not today" } as const;

/** What a change of the card did, in a sentence; undefined for other actions. */
export function doneText(action: Action): string | undefined {
  if (action.type === "remove") return `${doneRemoval[action.change]}; u takes it back.`;
  if (action.type !== "tags") return undefined;
  return action.after.length === 0 ? "The card has no tags now." : `Tags: ${action.after.join(", ")}.`;
}

/** The name of a card, cut to what a line has room for beside so much text. */
export type Naming = (cardId: string, beside: string) => string;

/** What an undo took back, in a sentence that is one line of the screen: a second would cover the card. */
export function undoneText({ undo }: Past, nameOf: Naming): string {
  if (undo.type === "skip") return "Took back the skip.";
  return undoneOf(undoneThing(undo), undo.type === "answer" ? undo.answer.cardId : undo.cardId, nameOf);
}

/** The same for an answer of an earlier session. */
export const undoneAnswer = (remembered: boolean, cardId: string, nameOf: Naming): string =>
  undoneOf(remembered ? "“remembered”" : "“forgot”", cardId, nameOf);

function undoneOf(thing: string, cardId: string, nameOf: Naming): string {
  const what = `Took back ${thing}`;
  const name = nameOf(cardId, `${what} of “”.`);
  return name === "" ? `${what}.` : `${what} of “${name}”.`;
}

function undoneThing(undo: Exclude<Past["undo"], { type: "skip" }>): string {
  if (undo.type === "answer") return undo.answer.remembered ? "“remembered”" : "“forgot”";
  if ("tags" in undo.inverse) return "the tags";
  if ("putOff" in undo.inverse) return "“not today”";
  return "archived" in undo.inverse ? "the archiving" : "the trashing";
}
