import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { commandTree } from "../../src/cli/tree.ts";
import { cli } from "../support/cli.ts";
import { type FakeService, fakeService, sendJson } from "../support/fake-service.ts";
import { deckhand, type Ran } from "../support/world.ts";

const key = "sk-very-secret-0123456789";
const encodedKey = Buffer.from(`${key}:`).toString("base64").replace(/=+$/, "");
/** Moves the cursor, sets the title, rings, goes back, turns the text around, and is C1. */
const weapon = "\u001b[2J\u001b]0;owned\u0007\b\r\u202eevil\u009b31m\u2066";
const hostileText = (what: string) => `${what}${weapon} ${key} ${encodedKey}`;
const now = "2026-01-01T00:00:00.000Z";
const id = "hostile1";

const card = {
  id,
  content: `${hostileText("front")}\n---\n[a](javascript:x${weapon}) \`${weapon}\` <b>${weapon}</b>`,
  name: hostileText("card"),
  "deck-id": id,
  "template-id": null,
  pos: hostileText("1"),
  tags: [hostileText("tag")],
  "manual-tags": [hostileText("tag")],
  references: [],
  "created-at": { date: now },
  "updated-at": { date: now },
  reviews: [],
  fields: { name: { id: "name", value: hostileText("field") } },
  attachments: {},
  "new?": true,
};
const deck = { id, name: hostileText("deck"), sort: 1, "card-count": 1 };
const template = {
  id,
  name: hostileText("template"),
  content: hostileText("<< name >>"),
  pos: hostileText("1"),
  fields: { name: { id: "name", name: hostileText("Name"), pos: "a" } },
};
const files = [{ "file-name": hostileText("file").replaceAll("/", ""), size: 1, type: hostileText("text") }];

type Mood = "documents" | "errors" | "fields" | "pages" | "nonsense";

/** A service whose every string is a weapon, and that repeats the key wherever it can. */
async function hostileService(mood: Mood): Promise<FakeService> {
  const service = await fakeService(({ method, url }, response) => {
    // Of control characters HTTP lets only those of C1 through.
    response.setHeader("x-hostile", "\u009b31m");
    const path = url.split("?")[0] ?? "";
    if (mood === "errors") return sendJson(response, 400, { errors: [hostileText("no")] });
    if (mood === "fields")
      return sendJson(response, 422, { errors: { [hostileText("f")]: hostileText("no") } });
    if (mood === "nonsense") return sendJson(response, 200, { id: 7, [hostileText("x")]: hostileText("y") });
    if (mood === "pages") {
      response.writeHead(403, { "content-type": "text/html" });
      return void response.end(`<p>${hostileText("page")}</p>`);
    }
    const page = (docs: unknown[]) => sendJson(response, 200, { docs, bookmark: hostileText("nil") });
    if (path === "/")
      return sendJson(response, 200, {
        service: hostileText("deckhand"),
        version: hostileText("1"),
        extensions: ["reviews", "attachment-list", "attachment-download"],
      });
    if (method === "DELETE") return void response.writeHead(204).end();
    if (/attachments\/./.test(path) && method === "POST") return sendJson(response, 200, files[0]);
    if (/attachments\/./.test(path)) return void response.writeHead(200).end(weapon);
    if (path === "/attachments") return page(files.map((file) => ({ ...file, "card-id": id })));
    if (path.endsWith("/attachments")) return page(files);
    if (path.startsWith("/due")) return sendJson(response, 200, { cards: [card] });
    const one = path.startsWith("/cards") ? card : path.startsWith("/decks") ? deck : template;
    if (method === "GET" && /^\/(cards|decks|templates)\/?$/.test(path)) return page([one]);
    return sendJson(response, 200, one);
  });
  onTestFinished(() => service.close());
  return service;
}

/** One way to run each command; what is not here is named in `exempt`, with the reason. */
const walk = (folder: string): Record<string, string[]> => ({
  "cards list": ["--columns", "id,name,tags,content,pos"],
  "cards get": [id],
  "cards search": ["front"],
  "cards create": ["--deck", id, "--content", "x", "--attach", join(folder, "a.txt")],
  "cards update": [id, "--content", "y"],
  "cards edit": [id],
  "cards move": [id, "--deck", id],
  "cards archive": [id],
  "cards unarchive": [id],
  "cards trash": [id],
  "cards restore": [id],
  "cards delete": [id, "--yes"],
  "decks list": ["--tree"],
  "decks get": [id],
  "decks create": ["x", "--parent", id],
  "decks update": [id, "--name", "y"],
  "decks archive": [id],
  "decks unarchive": [id],
  "decks trash": [id],
  "decks restore": [id],
  "decks delete": [id, "--yes"],
  "templates list": [],
  "templates get": [id],
  "templates create": ["x", "--content", "<< name >>", "--field", "name"],
  "templates update": [id, "--name", "y"],
  "templates delete": [id, "--yes"],
  "attach add": [id, join(folder, "a.txt")],
  "attach get": [id, "a.txt", "--output-file", join(folder, "out.txt")],
  "attach remove": [id, "a.txt"],
  "due summary": [id],
  "due list": [id],
  "due answer": [id, "remembered"],
  "due set": [id, "tomorrow"],
  "due forget": [id],
  "due undo": [],
  "due log": [],
  "due sync": [],
  "auth status": [],
  "auth list": [],
  "config list": [],
  "config get": ["base-url"],
  "config path": [],
  api: ["GET", "/cards", "--include"],
  add: ["front", "back", "--deck", id],
  "import run": [join(folder, "cards.csv"), "--deck", id, "--yes"],
  "import undo": [join(folder, "no-journal"), "--yes"],
  "attach list": [id],
  "tags list": [],
  "tags rename": ["tag", "other", "--yes"],
  "tags remove": ["tag", "--yes"],
  "trash list": [],
  "trash empty": ["--yes"],
  "schedule show": [],
  "schedule train": [],
  "schedule reset": [],
  "schedule apply": [id, "--yes"],
  "schedule forecast": [],
  "notes list": [],
  "notes forget": [join(folder, "never-followed")],
  stats: [],
  "sync status": [join(folder, "synced")],
  "sync run": [join(folder, "synced"), "--yes"],
  export: [join(folder, "out.ndjson"), "--yes"],
  doctor: [],
  completion: ["bash"],
});
/** These say nothing that comes from a service; the review has a screen (test/review), MCP a protocol of its own. */
const exempt = [
  "mcp",
  "due review",
  "review",
  "auth login",
  "auth logout",
  "auth use",
  "config set",
  "config unset",
  "serve run",
  "serve migrate",
  "serve copy",
  // They read files of this machine only.
  "import list",
  "backup list",
  "backup create",
  "backup verify",
  "backup restore",
  "check",
  "serve key",
  "serve account",
  "demo",
  "version",
];

const raw = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
/** Colours, links and the status line are ours: what else is there came from outside. */
const own = /\u001b\[[0-9;]*m|\u001b\]8;[^\u0007\u001b]*(?:\u0007|\u001b\\)|\r\u001b\[K|\r[^\r\n]*\u001b\[K/g;

async function place(service: FakeService) {
  const env = {
    DECKHAND_PROFILE: "",
    DECKHAND_BASE_URL: service.url,
    DECKHAND_API_KEY: key,
    DECKHAND_RETRIES: "0",
  };
  const program = await deckhand({ ...env, EDITOR: "true", TERM: "xterm-256color" });
  const folder = join(program.home, "work");
  mkdirSync(folder);
  writeFileSync(join(folder, "a.txt"), "x");
  writeFileSync(join(folder, "cards.csv"), "front,back\na,b\n");
  return { program, folder };
}

const leaks = ({ stdout, stderr }: Ran): string[] =>
  [stdout, stderr].flatMap((text) => {
    const found = raw.exec(text.replace(own, ""));
    return found === null
      ? []
      : [JSON.stringify(text.replace(own, "").slice(Math.max(0, found.index - 40), found.index + 40))];
  });

describe("a service that sends weapons", () => {
  it("is met by every command that there is", () => {
    const all = Object.entries(commandTree).flatMap(([noun, { verbs }]) =>
      verbs === undefined ? [noun] : Object.keys(verbs).map((verb) => `${noun} ${verb}`),
    );
    const covered = [...Object.keys(walk("")), ...exempt];
    expect(all.filter((command) => !covered.includes(command))).toEqual([]);
  });

  for (const mood of ["documents", "errors", "fields", "pages", "nonsense"] as const)
    it(`drives no terminal with its ${mood}, through any command`, async () => {
      const service = await hostileService(mood);
      const { program, folder } = await place(service);
      for (const [command, args] of Object.entries(walk(folder))) {
        const ran = await program.run([...command.split(" "), ...args], { terminal: true, columns: 300 });
        expect(leaks(ran), command).toEqual([]);
        const piped = await program.run([...command.split(" "), ...args, "-o", "json", "-v"]);
        // What is no JSON `api` prints as it came, off a terminal: it may be a file.
        const stdout = command === "api" && mood === "pages" ? "" : piped.stdout;
        expect(leaks({ ...piped, stdout }), `${command} -o json -v`).toEqual([]);
        // A document may hold anything that its owner wrote; an error, a log or a status may not hold the key.
        for (const text of [ran.stderr, piped.stderr])
          if (mood !== "documents")
            expect([text.includes(key), text.includes(encodedKey)], text).toEqual([false, false]);
      }
      expect(service.requests.length).toBeGreaterThan(30);
    }, 60_000);
});

it("drives no terminal with the markdown of a card alone, which a file gets as it is", async () => {
  const service = await hostileService("documents");
  const { program } = await place(service);
  const shown = await program.run(["cards", "get", id, "--raw"], { terminal: true });
  expect(shown.stdout).toContain("␛[2J");
  expect(leaks(shown)).toEqual([]);
  const piped = await program.run(["cards", "get", id, "--raw"]);
  expect(piped.stdout).toContain(weapon);
}, 60_000);

it("drives no terminal with what it warns of, nor through the names that a shell completes", async () => {
  const service = await hostileService("documents");
  const { program } = await place(service);
  const input = `${JSON.stringify({ content: "x", "deck-id": id, [hostileText("field")]: 1 })}\n`;
  const warned = await program.run(["cards", "create", "--from", "-"], { terminal: true, input });
  expect(warned.stderr).toContain("has no field");
  expect(leaks(warned)).toEqual([]);
  const built = cli({ DECKHAND_BASE_URL: service.url, DECKHAND_API_KEY: key });
  onTestFinished(() => built.remove());
  for (const noun of ["decks", "templates"]) {
    for (const args of [["list"], ["get", id]]) await built.ok([noun, ...args]);
    // It is known by now, but what cannot be typed is not offered.
    expect(raw.exec(await built.ok(["__complete", noun]))).toBeNull();
  }
  const cache = join(built.home, "cache");
  expect(readdirSync(cache).map((name) => readFileSync(join(cache, name), "utf8"))).toEqual([
    expect.stringMatching(/deck.*template/),
    expect.stringContaining("description"),
  ]);
}, 60_000);

it("the key is in no file that a command leaves, and in no output of a service that does not repeat it", async () => {
  const service = await fakeService((_, response) => sendJson(response, 200, { docs: [], bookmark: "nil" }));
  onTestFinished(() => service.close());
  const { program, folder } = await place(service);
  for (const [command, args] of Object.entries(walk(folder)))
    for (const more of [["-v"], ["-o", "json", "-v", "--dry-run"]]) {
      const ran = await program.run([...command.split(" "), ...args, ...more], {
        env: { DECKHAND_DEBUG: "1" },
      });
      expect(`${ran.stdout}${ran.stderr}`.includes(key), command).toBe(false);
      expect(`${ran.stdout}${ran.stderr}`.includes(encodedKey), command).toBe(false);
    }
  const input = `${key}\n`;
  const login = ["auth", "login", "--profile", "work", "--base-url", service.url, "--key-stdin"];
  expect(
    await program.run(login, { input, env: { DECKHAND_API_KEY: "", DECKHAND_BASE_URL: "" } }),
  ).toMatchObject({ code: 0 });
  const holding = readdirSync(program.home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => {
      const text = readFileSync(file, "latin1");
      return text.includes(key) || text.includes(encodedKey);
    });
  const credentials = join(program.home, "config", "credentials.json");
  expect(holding).toEqual([credentials]);
  expect(statSync(credentials).mode & 0o777).toBe(0o600);
  expect(statSync(join(program.home, "config")).mode & 0o777).toBe(0o700);
}, 60_000);
