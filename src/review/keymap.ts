/** The keys of a session: the screen, the plain mode, the help of both and the bottom line read this one map. */

interface KeyBinding {
  /** As `keys.ts` names them, with spaces between. */
  readonly keys: string;
  /** What the help says; absent for a row that another one covers. */
  readonly about?: string;
  /** The keys as the help shows them, if not as they are named. */
  readonly shown?: string;
  /** What it does in a word or two, for the bottom line. */
  readonly hint?: string;
  /** Whether it applies to the screen only: nothing scrolls line by line. */
  readonly screenOnly?: true;
}

const bindings = {
  next: {
    keys: "space enter",
    about: "page down, then reveal; when all is revealed: remembered",
    hint: "reveal",
  },
  forgot: { keys: "1 f", about: "forgot", hint: "forgot" },
  remembered: { keys: "2 r", about: "remembered", hint: "remembered" },
  hint: { keys: "h", about: "open the hints of the question", hint: "hint" },
  undo: { keys: "u", about: "undo the last grade, skip, not today, archive, trash or tags", hint: "undo" },
  skip: { keys: "s", about: "skip: the card comes back at the end", hint: "skip" },
  "not-today": { keys: "n", about: "not today: the card comes back tomorrow" },
  edit: { keys: "e", about: "edit the card in your editor", hint: "edit" },
  tags: { keys: "t", about: "edit its tags" },
  open: { keys: "o", about: "open a link, a picture or a file of what is revealed" },
  play: { keys: "p", about: "play the sound of what is revealed", hint: "play" },
  archive: { keys: "a", shown: "a x", about: "archive; trash", hint: "archive" },
  trash: { keys: "x" },
  details: { keys: "i", about: "details: dates, history, chance to recall" },
  down: { keys: "j down", shown: "j k ↑ ↓", about: "scroll a line", screenOnly: true },
  up: { keys: "k up", screenOnly: true },
  "page-down": {
    keys: "pagedown",
    shown: "PgUp PgDn g G",
    about: "scroll a page; to the top, to the end",
    screenOnly: true,
  },
  "page-up": { keys: "pageup", screenOnly: true },
  top: { keys: "g home", screenOnly: true },
  end: { keys: "G end", screenOnly: true },
  help: { keys: "?", hint: "keys" },
  quit: { keys: "q escape ctrl-c", shown: "q esc ctrl-c", about: "quit", hint: "quit" },
} as const satisfies Readonly<Record<string, KeyBinding>>;

export type KeyCommand = keyof typeof bindings;
export type ScrollCommand = keyof typeof scrolled;

export const keymap: Readonly<Record<KeyCommand, KeyBinding>> = bindings;

const commands = new Map(
  Object.entries(keymap).flatMap(([command, { keys }]) =>
    keys.split(" ").map((key) => [key, command as KeyCommand] as const),
  ),
);

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
export const commandOf = (key: string): KeyCommand | undefined => commands.get(key);

/** The rows of the help. @param plain line by line, where nothing scrolls */
export const helpRows = (plain = false) =>
  Object.values(keymap).flatMap(({ keys, shown = keys, about, screenOnly }) =>
    about === undefined || (plain && screenOnly) ? [] : [{ name: shown, value: about }],
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
  const { keys, hint = "" } = keymap[command];
  return { key: keys.split(" ")[0] ?? "", does: does ?? hint };
}
