/** The keys of a session: the screen, the plain mode, the help of both and the bottom line read this one map. */

interface KeyBinding {
  readonly command: string;
  /** As `keys.ts` names them. */
  readonly keys: readonly string[];
  /** The keys as the help shows them; absent for a row that another one covers. */
  readonly shown?: string;
  readonly about?: string;
  /** The same in a word or two, for the bottom line. */
  readonly hint?: string;
  /** Whether it applies to the screen only: nothing scrolls line by line. */
  readonly screenOnly?: true;
}

const bindings = [
  {
    command: "next",
    keys: ["space", "enter"],
    shown: "space enter",
    about: "page down, then reveal; when all is revealed: remembered",
    hint: "reveal",
  },
  { command: "forgot", keys: ["1", "f"], shown: "1 f", about: "forgot", hint: "forgot" },
  { command: "remembered", keys: ["2", "r"], shown: "2 r", about: "remembered", hint: "remembered" },
  { command: "hint", keys: ["h"], shown: "h", about: "open the hints of the question", hint: "hint" },
  {
    command: "undo",
    keys: ["u"],
    shown: "u",
    about: "undo the last grade, skip, not today, archive, trash or tags",
    hint: "undo",
  },
  { command: "skip", keys: ["s"], shown: "s", about: "skip: the card comes back at the end", hint: "skip" },
  { command: "not-today", keys: ["n"], shown: "n", about: "not today: the card comes back tomorrow" },
  { command: "edit", keys: ["e"], shown: "e", about: "edit the card in your editor", hint: "edit" },
  { command: "tags", keys: ["t"], shown: "t", about: "edit its tags" },
  { command: "open", keys: ["o"], shown: "o", about: "open a link, a picture or a file of what is revealed" },
  { command: "play", keys: ["p"], shown: "p", about: "play the sound of what is revealed", hint: "play" },
  { command: "archive", keys: ["a"], shown: "a x", about: "archive; trash", hint: "archive" },
  { command: "trash", keys: ["x"] },
  { command: "details", keys: ["i"], shown: "i", about: "details: dates, history, chance to recall" },
  { command: "down", keys: ["j", "down"], shown: "j k ↑ ↓", about: "scroll a line", screenOnly: true },
  { command: "up", keys: ["k", "up"], screenOnly: true },
  {
    command: "page-down",
    keys: ["pagedown"],
    shown: "PgUp PgDn g G",
    about: "scroll a page; to the top, to the end",
    screenOnly: true,
  },
  { command: "page-up", keys: ["pageup"], screenOnly: true },
  { command: "top", keys: ["g", "home"], screenOnly: true },
  { command: "end", keys: ["G", "end"], screenOnly: true },
  { command: "help", keys: ["?"], hint: "keys" },
  {
    command: "quit",
    keys: ["q", "escape", "ctrl-c"],
    shown: "q esc ctrl-c",
    about: "quit",
    hint: "quit",
  },
] as const satisfies readonly KeyBinding[];

export type KeyCommand = (typeof bindings)[number]["command"];
export type ScrollCommand = keyof typeof scrolled;

export const keymap: readonly (KeyBinding & { readonly command: KeyCommand })[] = bindings;

/** What is done also while no card is on the screen; all else acts on the card, and does nothing before it was there. */
export const anytime: ReadonlySet<KeyCommand> = new Set(["undo", "skip", "details", "help", "quit"]);

export const isScroll = (command: KeyCommand): command is ScrollCommand => command in scrolled;

/** The row that a command scrolls to, from another. @param page how many rows a page has */
export const scrolled = {
  down: (row: number) => row + 1,
  up: (row: number) => row - 1,
  "page-down": (row: number, page: number) => row + page,
  "page-up": (row: number, page: number) => row - page,
  top: () => 0,
  end: () => Number.MAX_SAFE_INTEGER,
} as const;

export const linkKeys = "123456789abcdefghijklmnoprstuvwxyz";

/** What a key does; undefined for one that does nothing. */
export const commandOf = (key: string): KeyCommand | undefined =>
  keymap.find(({ keys }) => keys.includes(key))?.command;

/** The rows of the help. @param plain line by line, where nothing scrolls */
export const helpRows = (plain = false) =>
  keymap.flatMap(({ shown, about, screenOnly }) =>
    shown === undefined || about === undefined || (plain && screenOnly)
      ? []
      : [{ name: shown, value: about }],
  );

/** What is said of keys that do nothing now. */
export const says = {
  /** Of a grade that comes before the answer. */
  notShown: "Not all of the card is shown yet.",
  noHint: "There is no hint to open.",
  noSound: "There is no sound on what is revealed.",
  noLink: "There is nothing to open on what is revealed.",
  noKey: (key: string) => `${JSON.stringify(key)} is no key; ? lists them.`,
} as const;

/** A key for the bottom line, and what it does there. */
export function hintOf(command: KeyCommand, does?: string): { readonly key: string; readonly does: string } {
  const binding = keymap.find((each) => each.command === command);
  return { key: binding?.keys[0] ?? "", does: does ?? binding?.hint ?? "" };
}
