import { createHash } from "node:crypto";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";
import { seededRandom } from "./random.ts";

/**
 * What a disk may hold after a power failure (docs/design/reliability.md). A recording runs the real code on a real
 * folder and notes what each call of the file system changed; from that, states are built in which anything that was
 * not synced yet may be missing or half there.
 */

/** A file or a folder: it outlives its names. */
type Node =
  | { readonly kind: "file"; content: Buffer }
  | { readonly kind: "folder"; names: Map<string, number> };

type Event =
  /** Names in folders: a rename changes two, and takes effect as a whole. */
  | { readonly kind: "names"; readonly changes: readonly NameChange[] }
  /** The bytes of a file from an offset on, and how long it then was. */
  | {
      readonly kind: "write";
      readonly node: number;
      readonly from: number;
      readonly bytes: Buffer;
      readonly size: number;
    }
  | { readonly kind: "sync"; readonly node: number; readonly what: string }
  /** From here on the caller relies on it. */
  | { readonly kind: "told"; readonly what: string };

interface NameChange {
  readonly folder: number;
  readonly name: string;
  /** Undefined where the name is gone. */
  readonly node: number | undefined;
}

const root = 0;
/** Locks are taken by processes that are alive, which none is after a power failure; SQLite sees to its own files. */
const ignored = (name: string) => /\.(?:lockfile|holder)$|-(?:wal|shm|journal)$/.test(name);

export interface Recording {
  readonly events: readonly Event[];
  /** What was there at first, on the disk. */
  readonly before: ReadonlyMap<number, Node>;
  /** Which node each was a folder or file. */
  readonly kinds: ReadonlyMap<number, Node["kind"]>;
}

/** Runs `work` on a folder and records what it does there. `told` notes what the caller may rely on from then on. */
export async function record(
  folder: string,
  work: (told: (what: string) => void) => Promise<void>,
): Promise<Recording> {
  const recorder = new Recorder(folder);
  const restore = watch(recorder);
  try {
    await work((what) => recorder.events.push({ kind: "told", what }));
  } finally {
    restore();
  }
  return { events: recorder.events, before: recorder.before, kinds: recorder.kinds };
}

class Recorder {
  readonly events: Event[] = [];
  readonly before: Map<number, Node>;
  readonly kinds = new Map<number, Node["kind"]>();
  readonly #folder: string;
  #inodes = new Map<bigint, number>();
  #tree: Map<number, Node>;
  #next = 1;

  constructor(folder: string) {
    this.#folder = folder;
    this.#tree = this.#scan();
    this.before = copyOf(this.#tree);
  }

  /** Notes what has changed since the last time. */
  look(): void {
    const [old, tree] = [this.#tree, this.#scan()];
    this.#tree = tree;
    const changes: NameChange[] = [];
    for (const id of new Set([...old.keys(), ...tree.keys()])) {
      const [was, is] = [old.get(id), tree.get(id)];
      if (is?.kind === "folder") {
        const names = was?.kind === "folder" ? was.names : new Map<string, number>();
        for (const [name, node] of is.names)
          if (names.get(name) !== node) changes.push({ folder: id, name, node });
        for (const name of names.keys())
          if (!is.names.has(name)) changes.push({ folder: id, name, node: undefined });
      } else if (is?.kind === "file") {
        const content = was?.kind === "file" ? was.content : Buffer.alloc(0);
        if (!content.equals(is.content)) this.events.push(writeOf(id, content, is.content));
      }
    }
    if (changes.length > 0) this.events.push({ kind: "names", changes });
  }

  sync(descriptor: number): void {
    const { ino } = fs.fstatSync(descriptor, { bigint: true });
    const node = this.#inodes.get(ino);
    if (node === undefined) return;
    // Without what distinguishes temporary files: `.a.txt.12-boot-x.tmp` becomes `.a.txt.tmp`.
    const path = this.#pathOf(node).replaceAll(/(\/\.[^/]+?)\.\d[^/]*?\.tmp/g, "$1.tmp");
    this.events.push({ kind: "sync", node, what: `${this.kinds.get(node)} ${path}` });
  }

  /** Where a node is below the folder, which is `/`. */
  #pathOf(wanted: number, folder = root, path = ""): string {
    if (wanted === root) return "/";
    const node = this.#tree.get(folder);
    if (node?.kind !== "folder") return "";
    for (const [name, id] of node.names) {
      if (id === wanted) return `${path}/${name}`;
      const below = this.#pathOf(wanted, id, `${path}/${name}`);
      if (below !== "") return below;
    }
    return "";
  }

  #scan(): Map<number, Node> {
    const tree = new Map<number, Node>();
    const seen = new Map<bigint, number>();
    const visit = (path: string): number => {
      const stat = fs.statSync(path, { bigint: true });
      const known = seen.get(stat.ino) ?? this.#inodes.get(stat.ino);
      const id = path === this.#folder ? root : (known ?? this.#next++);
      seen.set(stat.ino, id);
      if (tree.has(id)) return id;
      if (!stat.isDirectory()) {
        this.kinds.set(id, "file");
        tree.set(id, { kind: "file", content: fs.readFileSync(path) });
        return id;
      }
      this.kinds.set(id, "folder");
      const names = new Map<string, number>();
      tree.set(id, { kind: "folder", names });
      for (const name of fs.readdirSync(path).sort())
        if (!ignored(name)) names.set(name, visit(join(path, name)));
      return id;
    };
    visit(this.#folder);
    // A number of an inode is used again when its file is gone.
    this.#inodes = seen;
    return tree;
  }
}

function writeOf(node: number, before: Buffer, after: Buffer): Event {
  let from = 0;
  while (from < before.length && from < after.length && before[from] === after[from]) from++;
  return { kind: "write", node, from, bytes: after.subarray(from), size: after.length };
}

const changing = [
  "openSync",
  "writeSync",
  "writeFileSync",
  "appendFileSync",
  "ftruncateSync",
  "truncateSync",
  "renameSync",
  "linkSync",
  "unlinkSync",
  "rmSync",
  "rmdirSync",
  "mkdirSync",
  "copyFileSync",
] as const;
const changingLater = [
  "open",
  "writeFile",
  "appendFile",
  "rename",
  "link",
  "unlink",
  "rm",
  "rmdir",
  "mkdir",
  "copyFile",
] as const;
const ofHandles = ["write", "writev", "writeFile", "appendFile", "truncate"] as const;

/** Lets the recorder look after each call that changes something. @returns how to end that */
function watch(recorder: Recorder): () => void {
  const undo: (() => void)[] = [];
  let depth = 0;
  // biome-ignore lint/suspicious/noExplicitAny: functions of every signature.
  type Any = any;
  const replace = (object: Any, name: string, make: (original: Any) => Any) => {
    const original = object[name];
    object[name] = make(original);
    undo.push(() => {
      object[name] = original;
    });
  };
  const within = (original: Any, after: (args: Any[]) => void) =>
    function (this: unknown, ...args: Any[]) {
      // What Node calls inside of one of its own functions is part of that.
      if (depth > 0) return original.apply(this, args);
      depth++;
      try {
        return original.apply(this, args);
      } finally {
        after(args);
        depth--;
      }
    };
  for (const name of changing) replace(fs, name, (original) => within(original, () => recorder.look()));
  for (const name of ["fsyncSync", "fdatasyncSync"])
    replace(fs, name, (original) => within(original, ([file]) => recorder.sync(file)));
  replace(
    fs,
    "fsync",
    (original) => (file: number, done: (error: unknown) => void) =>
      original(file, (error: unknown) => {
        recorder.sync(file);
        done(error);
      }),
  );
  const later = (original: Any, after: (self: Any) => void) =>
    async function (this: Any, ...args: Any[]) {
      try {
        return await original.apply(this, args);
      } finally {
        depth++;
        after(this);
        depth--;
      }
    };
  for (const name of changingLater)
    replace(fs.promises, name, (original) => later(original, () => recorder.look()));
  const descriptor = fs.openSync("/dev/null", "r");
  fs.closeSync(descriptor);
  const handles = handlePrototype;
  for (const name of ofHandles) replace(handles, name, (original) => later(original, () => recorder.look()));
  for (const name of ["sync", "datasync"])
    replace(handles, name, (original) => later(original, (self) => recorder.sync(self.fd)));
  syncBuiltinESMExports();
  return () => {
    for (const each of undo.reverse()) each();
    syncBuiltinESMExports();
  };
}

const handle = await fs.promises.open("/dev/null", "r");
const handlePrototype = Object.getPrototypeOf(handle);
await handle.close();

/** A state of the disk after a power failure. */
export interface DiskState {
  /** How many events had happened. */
  readonly at: number;
  /** What the callers had been told before. */
  readonly told: readonly string[];
  /** Which events are missing or half there, in words. */
  readonly missing: string;
  readonly nodes: ReadonlyMap<number, Node>;
}

type Effect = "done" | "lost" | "first half" | "second half" | "zeros";

/**
 * The states that a disk may be left in: after each event, with all that was not synced by then there or missing, and
 * with each single event of it missing, torn, or there alone. Equal ones are built once; if there are more than `most`,
 * a random choice of them.
 *
 * @param without the index of a sync to leave out, or several
 */
export function* statesOf(
  { events, before }: Recording,
  {
    most,
    seed,
    without = [],
  }: { readonly most: number; readonly seed: number; readonly without?: readonly number[] },
): Generator<DiskState> {
  const left = new Set(without);
  const kept = events.filter((_, index) => !left.has(index));
  const plans: { at: number; effects: ReadonlyMap<number, Effect>; otherwise: Effect }[] = [];
  // What happened before the first of them is as it would be with it.
  for (let at = without.length === 0 ? 0 : Math.min(...without); at <= kept.length; at++) {
    const pending = pendingAt(kept, at);
    plans.push({ at, effects: new Map(), otherwise: "done" });
    if (pending.length === 0) continue;
    plans.push({ at, effects: new Map(), otherwise: "lost" });
    for (const index of pending) {
      const effects: readonly Effect[] =
        kept[index]?.kind === "write" ? ["lost", "first half", "second half", "zeros"] : ["lost"];
      for (const effect of effects)
        plans.push({ at, effects: new Map([[index, effect]]), otherwise: "done" });
      plans.push({ at, effects: new Map([[index, "done"]]), otherwise: "lost" });
    }
  }
  const random = seededRandom(seed);
  const chosen = plans.length <= most ? plans : plans.filter(() => random() < most / plans.length);
  const seen = new Set<string>();
  for (const { at, effects, otherwise } of chosen) {
    const pending = new Set(pendingAt(kept, at));
    const nodes = copyOf(before);
    for (const [index, event] of kept.slice(0, at).entries())
      apply(nodes, event, pending.has(index) ? (effects.get(index) ?? otherwise) : "done");
    const told = kept.slice(0, at).flatMap((event) => (event.kind === "told" ? [event.what] : []));
    const key = createHash("sha256")
      .update(JSON.stringify([told, listing(nodes)]))
      .digest("hex");
    if (seen.has(key)) continue;
    seen.add(key);
    const missing = `after ${at} of ${kept.length} events, ${JSON.stringify([...effects])}, else ${otherwise}`;
    yield { at, told, missing, nodes };
  }
}

/** The events before a moment that were not synced by then. */
function pendingAt(events: readonly Event[], at: number): number[] {
  const synced = new Map<number, number>();
  for (const [index, event] of events.slice(0, at).entries())
    if (event.kind === "sync") synced.set(event.node, index);
  return events.slice(0, at).flatMap((event, index) => {
    const safe = (node: number) => (synced.get(node) ?? -1) > index;
    if (event.kind === "write") return safe(event.node) ? [] : [index];
    if (event.kind === "names") return event.changes.every(({ folder }) => safe(folder)) ? [] : [index];
    return [];
  });
}

function apply(nodes: Map<number, Node>, event: Event, effect: Effect): void {
  if (effect === "lost") return;
  if (event.kind === "names")
    for (const { folder, name, node } of event.changes) {
      const into = folderOf(nodes, folder);
      if (node === undefined) into.delete(name);
      else into.set(name, node);
    }
  else if (event.kind === "write") {
    const file = nodes.get(event.node);
    const content = file?.kind === "file" ? file.content : Buffer.alloc(0);
    const half = Math.floor(event.bytes.length / 2);
    // A file that has become longer may have the new length without the bytes.
    const size = effect === "first half" ? event.from + half : event.size;
    const changed = Buffer.alloc(size);
    content.copy(changed, 0, 0, Math.min(event.from, size));
    if (effect === "done") event.bytes.copy(changed, event.from);
    if (effect === "first half") event.bytes.copy(changed, event.from, 0, half);
    if (effect === "second half") event.bytes.copy(changed, event.from + half, half);
    nodes.set(event.node, { kind: "file", content: changed });
  }
}

function folderOf(nodes: Map<number, Node>, id: number): Map<string, number> {
  const found = nodes.get(id);
  if (found?.kind === "folder") return found.names;
  const names = new Map<string, number>();
  nodes.set(id, { kind: "folder", names });
  return names;
}

function copyOf(nodes: ReadonlyMap<number, Node>): Map<number, Node> {
  return new Map(
    [...nodes].map(([id, node]) => [
      id,
      node.kind === "folder" ? { ...node, names: new Map(node.names) } : { ...node },
    ]),
  );
}

/** Writes a state into a folder, which is emptied first. */
export function lay(state: DiskState, folder: string, kinds: Recording["kinds"]): void {
  fs.rmSync(folder, { recursive: true, force: true });
  const put = (id: number, path: string) => {
    const node = state.nodes.get(id);
    if ((node?.kind ?? kinds.get(id)) !== "folder") {
      fs.mkdirSync(dirname(path), { recursive: true });
      fs.writeFileSync(path, node?.kind === "file" ? node.content : "", { mode: 0o600 });
      return;
    }
    fs.mkdirSync(path, { recursive: true, mode: 0o700 });
    if (node?.kind === "folder") for (const [name, child] of node.names) put(child, join(path, name));
  };
  put(root, folder);
}

function listing(nodes: ReadonlyMap<number, Node>): unknown {
  const list = (id: number): unknown => {
    const node = nodes.get(id);
    if (node === undefined) return null;
    if (node.kind === "file") return createHash("sha256").update(node.content).digest("base64");
    return [...node.names].sort().map(([name, child]) => [name, list(child)]);
  };
  return list(root);
}

/** A call that waits for the disk. */
interface Sync {
  readonly index: number;
  /** What it syncs: `folder /data`. */
  readonly what: string;
  /** Whether anything had been changed there since the last one. */
  readonly needed: boolean;
}

/** The syncs of a recording, in order. */
export const syncsOf = ({ events }: Recording): Sync[] =>
  events.flatMap((event, index) => {
    if (event.kind !== "sync") return [];
    const needed = pendingAt(events, index).some((at) => touches(events[at], event.node));
    return [{ index, what: event.what, needed }];
  });

const touches = (event: Event | undefined, node: number): boolean =>
  event?.kind === "write"
    ? event.node === node
    : event?.kind === "names" && event.changes.some(({ folder }) => folder === node);
