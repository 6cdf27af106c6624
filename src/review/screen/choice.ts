import type { Key } from "../../terminal/keys.ts";
import type { ScreenView } from "../../terminal/view.ts";
import { fits, panelHeight, tooSmall, wrapText } from "../../terminal/view.ts";
import type { Choice } from "../ports.ts";

/** What to do where the service cannot record reviews: asked once an account, before the first grade. */

export const choiceSentence =
  "This service cannot record reviews; its own app will still show these cards as due.";

const choices: readonly { key: string; choice: Choice; name: string; about: string }[] = [
  { key: "l", choice: "log", name: "log here", about: "keep the answers on this machine and go by them" },
  { key: "p", choice: "none", name: "practise only", about: "keep nothing" },
];

/** The question; what is said beside the sentence and the choices only where there is room for it. */
export function choiceView(columns: number, rows: number, colour: boolean): ScreenView {
  const size = { columns, rows, colour };
  if (!fits(size)) return tooSmall(size);
  const sentence = wrapText(choiceSentence, columns - 4);
  const later = wrapText("`deckhand config set review.record log` (or none) changes it later.", columns - 4);
  const spare = panelHeight({ title: "", rows: [] }, rows) - sentence.length - choices.length;
  return {
    ...size,
    top: { deck: "Before you begin", position: "", again: "", done: 0, elapsed: "" },
    body: {
      type: "panel",
      panel: {
        title: "Where should your answers go?",
        text: [...sentence, ...(spare > 0 ? [""] : [])],
        rows: choices.map(({ key, name, about }) => ({
          name: `${key}  ${name}`,
          value: about,
          strong: true,
        })),
        ...(spare > later.length + 1 ? { after: later } : {}),
      },
    },
    bottom: {
      keys: [...choices.map(({ key, name }) => ({ key, does: name })), { key: "q", does: "quit" }],
    },
  };
}

/** What a key chooses; "quit" to begin nothing. */
export function choiceOf({ name }: Key): Choice | "quit" | undefined {
  if (name === "q" || name === "ctrl-c" || name === "escape") return "quit";
  return choices.find(({ key }) => key === name)?.choice;
}
