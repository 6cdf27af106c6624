import { visible } from "./sanitize.ts";
import { cut } from "./width.ts";

interface StatusSettings {
  /** Takes text for stderr. */
  write(text: string): void;
  /** Whether there is a line to draw on: stderr is a terminal that knows escapes, and not --quiet. */
  readonly enabled: boolean;
  /** Columns of the terminal, now. */
  width(): number;
  /** Whether the terminal shows more than ASCII. */
  readonly unicode: boolean;
  readonly now: () => number;
  /** Calls again and again until the returned function is called; must not keep the process alive. */
  every(milliseconds: number, work: () => void): () => void;
}

/** Something that takes a while. */
export interface Task {
  /** So much more is done. */
  advance(by?: number): void;
  /** So much is done, of that many where it is now known. */
  set(done: number, total?: number): void;
  /** Takes it off the line. Any number of times. */
  end(): void;
}

interface TaskSettings {
  readonly label: string;
  /** How much there is to do; without it only what is done is shown. */
  readonly total?: number | undefined;
  /** What is counted: things, or bytes; none for a task that only takes time. */
  readonly unit?: "items" | "bytes";
}

/**
 * The one line at the bottom of the terminal that says what is going on. Everything else that goes to the terminal
 * meanwhile is printed through `above`, or after `clear`.
 */
export interface StatusLine {
  /** Shows a task: nothing for the first 0.3 seconds, then redrawn ten times a second at most. */
  begin(task: TaskSettings): Task;
  /** Prints whole lines, and the status below them again. */
  above(text: string): void;
  /** Takes the line away; it comes back with the next redraw. Before anything else writes to the terminal. */
  clear(): void;
}

const delay = 300;
const interval = 100;

interface Running extends TaskSettings {
  readonly begun: number;
  done: number;
  total?: number | undefined;
}

export function createStatusLine(settings: StatusSettings): StatusLine {
  const tasks: Running[] = [];
  let drawn = false;
  let stop: (() => void) | undefined;

  const clear = () => {
    if (!drawn) return;
    drawn = false;
    settings.write("\r\x1b[K");
  };
  const draw = () => {
    const task = tasks.at(-1);
    const now = settings.now();
    if (task === undefined || now - task.begun < delay) return;
    drawn = true;
    // One column is left free: a terminal would go on to the next line.
    settings.write(`\r${statusText(task, now, settings.width() - 1, settings.unicode)}\x1b[K`);
  };
  const end = (task: Running) => {
    const index = tasks.indexOf(task);
    if (index < 0) return;
    tasks.splice(index, 1);
    clear();
    if (tasks.length > 0) return;
    stop?.();
    stop = undefined;
  };
  return {
    begin(given) {
      const task: Running = { ...given, begun: settings.now(), done: 0 };
      if (settings.enabled) {
        tasks.push(task);
        stop ??= settings.every(interval, draw);
      }
      return {
        advance(by = 1) {
          task.done += by;
        },
        set(done, total = task.total) {
          task.done = done;
          task.total = total;
        },
        end: () => end(task),
      };
    },
    above(text) {
      const again = drawn;
      clear();
      settings.write(text);
      if (again) draw();
    },
    clear,
  };
}

/** What the line says of a task, cut to the width. */
export function statusText(
  task: Pick<Running, "label" | "unit" | "total" | "done" | "begun">,
  now: number,
  width: number,
  unicode: boolean,
): string {
  const frames = unicode ? "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏" : "|/-\\";
  const spinner = frames[Math.floor((now - task.begun) / interval) % frames.length];
  const label = visible(task.label.replace(/\s+/g, " "));
  const amount = (count: number) => (task.unit === "bytes" ? formatBytes(count) : String(count));
  const ellipsis = unicode ? "…" : "...";
  if (task.total === undefined || task.total <= 0) {
    const count = task.unit === undefined || task.done === 0 ? "" : ` ${amount(task.done)}`;
    return cut(`${spinner} ${label}${count}`, Math.max(1, width), ellipsis);
  }
  const share = Math.floor(Math.min(1, task.done / task.total) * 100);
  const figures = `${amount(task.done)}/${amount(task.total)} ${share}%`;
  return cut(`${spinner} ${label} ${figures}`, Math.max(1, width), ellipsis);
}

/** Bytes for people: `812 B`, `1.5 MiB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  let size = bytes;
  let unit = "";
  for (unit of ["KiB", "MiB", "GiB", "TiB"]) {
    size /= 1024;
    if (size < 1023.95) break;
  }
  return `${size.toFixed(1)} ${unit}`;
}
