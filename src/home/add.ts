import type { Key } from "../terminal/keys.ts";
import { editText } from "../terminal/line-input.ts";
import { does, type Effect, type HomeState, isWritten, type Step, step } from "./state.ts";

/** The keys of the view that adds cards. */
export function pressAdd(state: HomeState, key: Key): Step {
  const { draft } = state;
  // The card is on its way: what comes now is for the next one, which is not there yet.
  if (draft.isSending) return step(state);
  switch (key.name) {
    case "tab":
      return step(
        { ...state, draft: { ...draft, field: draft.field === "front" ? "back" : "front" } },
        ...lookForSame(state),
      );
    case "ctrl-s":
      return save(state);
    case "ctrl-e":
      return step(state, does("editSides", draft.front.text, draft.back.text));
    default: {
      const input = editText(draft[draft.field], key);
      if (input === undefined) return step(state);
      const isSame = draft.field === "back" || input.text === draft.front.text;
      const same = isSame ? draft.same : undefined;
      return step({ ...state, isWarned: false, draft: { ...draft, [draft.field]: input, same } });
    }
  }
}

function lookForSame({ draft }: HomeState): Effect[] {
  const { deck, front, field } = draft;
  if (deck === undefined || field !== "front" || front.text.trim() === "") return [];
  return [does("sameFront", deck.id, front.text)];
}

function save(state: HomeState): Step {
  const { draft } = state;
  if (draft.deck === undefined || !isWritten(draft))
    return step({
      ...state,
      message: "There is nothing to save yet: write the front, then Tab and the back.",
    });
  const [front, back] = [draft.front.text.trim(), draft.back.text.trim()];
  if (front === "")
    return step({ ...state, message: "The front is empty.", draft: { ...draft, field: "front" } });
  return step(
    { ...state, isWarned: false, draft: { ...draft, isSending: true } },
    does("addCard", draft.deck.id, front, back),
  );
}
