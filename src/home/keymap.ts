import type { KeyHint } from "../terminal/view.ts";

/** The keys of each view, for the bottom line and the help. */

interface HomeKey extends KeyHint {
  /** What it does, for the help. */
  readonly about: string;
  /** Not on the bottom line. */
  readonly rare?: true;
}

export const homeKeys: readonly HomeKey[] = [
  { key: "enter", does: "review", about: "review this deck and those under it" },
  { key: "r", does: "all", about: "review all decks" },
  { key: "a", does: "add", about: "add cards to this deck" },
  { key: "n", does: "new deck", about: "make a deck; Parent/Name makes it under another" },
  { key: "/", does: "search", about: "find cards, and change them" },
  { key: "s", does: "statistics", about: "what you did, and what is coming" },
  { key: "e", does: "rename", about: "rename this deck", rare: true },
  { key: "i", does: "import", about: "import a file or folder", rare: true },
  { key: "u", does: "undo", about: "take back the last change", rare: true },
  { key: "↑ ↓ j k", does: "move", about: "choose a deck; PgUp PgDn g G go further", rare: true },
  { key: "← → h l", does: "fold", about: "fold and unfold the decks under it", rare: true },
  { key: "?", does: "keys", about: "these keys" },
  { key: "q", does: "quit", about: "leave" },
];

export const emptyKeys: readonly KeyHint[] = [
  { key: "a", does: "add the first card" },
  { key: "i", does: "import" },
  { key: "d", does: "sample" },
  { key: "?", does: "keys" },
  { key: "q", does: "quit" },
];

export const addKeys: readonly KeyHint[] = [
  { key: "ctrl-s", does: "save" },
  { key: "tab", does: "other field" },
  { key: "ctrl-e", does: "editor" },
  { key: "esc", does: "back" },
];

export const queryKeys: readonly KeyHint[] = [
  { key: "enter", does: "to the cards" },
  { key: "esc", does: "back" },
];

export const listKeys: readonly HomeKey[] = [
  { key: "space", does: "mark", about: "mark the card, for one change of several" },
  { key: "e", does: "edit", about: "edit the card in your editor" },
  { key: "m", does: "move", about: "move to another deck" },
  { key: "t", does: "tags", about: "change tags" },
  { key: "a", does: "archive", about: "archive" },
  { key: "x", does: "trash", about: "put in the trash" },
  { key: "/", does: "search", about: "change the search" },
  { key: "esc", does: "back", about: "back to the decks" },
];

/** What `?` lists. */
export const allKeys: readonly Omit<HomeKey, "does">[] = [
  ...homeKeys,
  { key: "", about: "" },
  { key: "cards", about: "that a search finds" },
  ...listKeys,
];

export const pageKeys: readonly KeyHint[] = [
  { key: "space", does: "next page" },
  { key: "esc", does: "back" },
];
