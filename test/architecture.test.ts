import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, test } from "vitest";

/** Who may import whom. `context` stands for what commands get; `*` for everything. */
const allowed: Record<string, readonly string[]> = {
  errors: [],
  files: ["errors", "sqlite"],
  nearest: [],
  version: [],
  loopback: [],
  "deck-tree": [],
  dates: ["schema"],
  yaml: [],
  sqlite: ["errors"],
  schema: ["errors"],
  codecs: ["schema", "errors"],
  cards: ["schema"],
  schedule: ["schema"],
  search: ["schema", "cards", "schedule", "errors"],
  stats: ["schema", "schedule"],
  http: ["schema", "codecs", "files", "errors", "loopback"],
  client: ["schema", "http", "errors", "sqlite"],
  config: ["files", "errors", "schema", "schedule", "nearest", "loopback"],
  decks: ["files", "config", "client", "schema", "errors", "nearest"],
  output: ["schema", "cards", "stats", "config", "errors", "dates", "nearest", "deck-tree"],
  transfer: ["folder", "schema", "codecs", "cards", "files", "errors", "client", "sqlite", "yaml"],
  notes: ["transfer", "folder", "client", "schema", "cards", "files", "errors"],
  folder: ["schema", "cards", "files", "errors", "yaml"],
  sync: ["folder", "transfer", "schema", "cards", "files", "errors", "client", "sqlite"],
  terminal: ["output", "errors"],
  review: ["schema", "cards", "schedule", "output", "terminal", "files", "errors"],
  home: [
    "review",
    "schema",
    "cards",
    "schedule",
    "stats",
    "search",
    "output",
    "terminal",
    "files",
    "errors",
    "deck-tree",
  ],
  study: ["schema", "http", "client", "decks", "cards", "schedule", "review", "stats", "deck-tree"],
  service: ["schema", "codecs", "cards", "schedule", "files", "errors", "sqlite", "study"],
  commands: ["*"],
  cli: ["*"],
  doctor: ["*"],
  check: ["*"],
  context: ["*"],
  main: ["*"],
};

/** How many lines `src` may have. It goes up only where a mend needs it: the aim is 62,000. */
const mostLines = 62_915;

/** Modules that commands and what composes the program may reach only by dynamic import. */
const composing = ["main", "context/start", "cli/program", "context/context", "cli/options", "cli/tree"].map(
  (name) => `src/${name}.ts`,
);
const lazy = [
  "review",
  "home",
  "terminal",
  "service",
  "client",
  "http",
  "codecs",
  "transfer",
  "sync",
  "search",
];

interface Import {
  readonly from: string;
  readonly to: string;
  readonly dynamic: boolean;
  readonly type: boolean;
}

const imports = sourceFiles("src").flatMap(importsOf);

describe("the modules", () => {
  test("each module imports only what the table allows", () => {
    const broken = imports.filter(({ from, to }) => {
      const [here, there] = [moduleOf(from), moduleOf(to)];
      if (here === there) return false;
      const list = allowed[here];
      return list === undefined || (!list.includes("*") && !list.includes(there));
    });
    expect(broken.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  test("the formats import neither import nor export", () => {
    const folders = ["src/transfer/import/", "src/transfer/export/"];
    const broken = imports.filter(
      ({ from, to }) =>
        from.startsWith("src/transfer/formats/") && folders.some((each) => to.startsWith(each)),
    );
    expect(broken.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  test("start-up imports review, service and the HTTP core only dynamically", () => {
    const eager = imports.filter(
      ({ from, to, dynamic, type }) =>
        !dynamic && !type && composing.includes(from) && lazy.includes(moduleOf(to)),
    );
    expect(eager.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  test("no file imports itself through others, types and dynamic imports included", () => {
    let left = imports;
    for (let before = 0; before !== left.length; ) {
      before = left.length;
      const [importing, imported] = [
        new Set(left.map(({ from }) => from)),
        new Set(left.map(({ to }) => to)),
      ];
      left = left.filter(({ from, to }) => importing.has(to) && imported.has(from));
    }
    expect(left.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  test("no source file is longer than 300 lines, and all together have no more than they may", () => {
    const lines = (file: string) => readFileSync(file, "utf8").split("\n").length - 1;
    const files = sourceFiles("src").map((file) => ({ file, lines: lines(file) }));
    expect(files.filter((each) => each.lines > 300)).toEqual([]);
    expect(files.reduce((total, each) => total + each.lines, 0)).toBeLessThanOrEqual(mostLines);
  });

  test("the network library is imported by the transport, SQLite by one file", () => {
    const naming = (name: RegExp) =>
      sourceFiles("src").filter((file) => !file.endsWith(".d.ts") && name.test(readFileSync(file, "utf8")));
    expect(naming(/from "undici|import\("undici|from "undici\//)).toEqual(["src/http/transport.ts"]);
    expect(naming(/"node:sqlite"|@photostructure/)).toEqual(["src/sqlite.ts"]);
  });
});

function sourceFiles(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return sourceFiles(path);
    return /\.tsx?$/.test(name) ? [path] : [];
  });
}

function importsOf(file: string): Import[] {
  const text = readFileSync(file, "utf8");
  const found: Import[] = [];
  for (const match of text.matchAll(/(import|export)\s+(type\s+)?[^;"']*?from\s+"(\.[^"]+)"/g))
    found.push({
      from: file,
      to: target(file, match[3] as string),
      dynamic: false,
      type: match[2] !== undefined,
    });
  for (const match of text.matchAll(/(typeof\s+)?import\(\s*"(\.[^"]+)"/g)) {
    const type = match[1] !== undefined;
    found.push({ from: file, to: target(file, match[2] as string), dynamic: !type, type });
  }
  return found.filter(({ to }) => to.startsWith("src/"));
}

function target(file: string, specifier: string): string {
  return relative(".", resolve(dirname(file), specifier));
}

/** The folder below src, or the file's name without its ending. */
function moduleOf(path: string): string {
  return (path.split("/")[1] as string).replace(/\.tsx?$/, "");
}
