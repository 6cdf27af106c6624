import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { InterruptedError } from "../../../src/errors.ts";
import { fakeService, sendJson } from "../../support/fake-service.ts";
import { onPostgres } from "../../support/service.ts";
import { waitFor } from "../../support/wait-for.ts";
import { type Deckhand, deckhand } from "../../support/world.ts";

async function withCard(): Promise<{ d: Deckhand; card: string; file(name: string, text: string): string }> {
  const d = await deckhand();
  await d.ok(["decks", "create", "D"]);
  const card = (await d.ok(["add", "Q", "A", "--deck", "D"])).trim();
  return {
    d,
    card,
    file(name, text) {
      const path = join(d.home, name);
      writeFileSync(path, text);
      return path;
    },
  };
}

describe("attach add", () => {
  test("stores files and prints name, size and type as the service gives them", async () => {
    const { d, card, file } = await withCard();
    const paths = [file("e\u0301.txt", "hello"), file("empty.bin", "")];
    expect(await d.ok(["attach", "add", card, ...paths])).toBe(
      "\u00e9.txt\t5\ttext/plain\nempty.bin\t0\tapplication/octet-stream\n",
    );
    expect(JSON.parse(await d.ok(["attach", "add", card, ...paths, "-o", "json"]))).toHaveLength(2);
    expect(JSON.parse(await d.ok(["attach", "add", card, paths[1] ?? "", "-o", "json"]))).toMatchObject({
      "file-name": "empty.bin",
      size: 0,
    });
  });

  test("stores standard input under --name", async () => {
    const { d, card } = await withCard();
    const added = await d.ok(["attach", "add", card, "-", "--name", "in.txt"], { input: "from a pipe" });
    expect(added).toBe("in.txt\t11\ttext/plain\n");
    expect(await d.ok(["attach", "get", card, "in.txt", "--output-file", "-"])).toBe("from a pipe");
  });

  test("sends nothing unless all files can be read", async () => {
    const { d, card, file } = await withCard();
    const good = file("good.txt", "x");
    mkdirSync(join(d.home, "folder"));
    mkdirSync(join(d.home, "other"));
    const same = file("other/good.txt", "y");
    for (const [bad, said] of [
      [join(d.home, "nope"), "no such file"],
      [join(d.home, "folder"), "not a file"],
      [same, "same name"],
    ] as const) {
      const { code, stdout, stderr } = await d.run(["attach", "add", card, good, bad]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain(said);
    }
    expect(await d.run(["attach", "add", card, good, "-"])).toMatchObject({ code: 2 });
    expect(await d.run(["attach", "add", card, good, same, "--name", "x"])).toMatchObject({ code: 2 });
    expect(await d.run(["attach", "get", card, "good.txt"])).toMatchObject({ code: 4 });
  });

  test.skipIf(onPostgres)(
    "says why the service in this process failed, since it has no log of its own",
    async () => {
      const { d, card, file } = await withCard();
      writeFileSync(join(d.home, "data", "service", "attachments"), "a file where a folder is due");
      const { code, stderr } = await d.run(["attach", "add", card, file("a.txt", "x")]);
      expect(code).toBe(7);
      expect(stderr).toMatch(/^deckhand: warning: the local service failed: E[A-Z]+: .*attachments/);
      expect(stderr).toMatch(/\ndeckhand: could not store the attachment on the card: .*its log says why/);
    },
  );

  test("prints the request of a dry run and leaves the file alone", async () => {
    const { d, card, file } = await withCard();
    const { code, stdout } = await d.run(["attach", "add", card, file("a b.txt", "x"), "--dry-run"]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `POST /cards/${card}/attachments/a%20b.txt\n{\n  "file": "a b.txt"\n}\n`,
    });
    expect(await d.run(["attach", "get", card, "a b.txt"])).toMatchObject({ code: 4 });
  });

  test("continues after a file that the service refuses", async () => {
    const { d, file } = await withCard();
    const { code, stderr } = await d.run([
      "attach",
      "add",
      "nocard00",
      file("a.txt", "x"),
      file("b.txt", "y"),
    ]);
    expect(code).toBe(4);
    expect(stderr.match(/there is no card nocard00/g)).toHaveLength(2);
    expect(await d.run(["attach", "add", "..", file("a.txt", "x")])).toMatchObject({ code: 2 });
  });

  test("sends a file again after 429, and standard input, too", async () => {
    const service = await fakeService((request, response, index) => {
      if (request.method === "POST" && index % 2 === 0)
        return sendJson(response, 429, { errors: ["slow down"] }, { "retry-after": "0" });
      return sendJson(response, 200, { "file-name": "a.txt", size: request.body.length, type: "text/plain" });
    });
    onTestFinished(() => service.close());
    const d = await deckhand({
      DECKHAND_PROFILE: "",
      DECKHAND_BASE_URL: service.url,
      DECKHAND_API_KEY: "a-key-for-this-test",
    });
    const path = join(d.home, "a.txt");
    writeFileSync(path, "x".repeat(100_000));
    expect(await d.run(["attach", "add", "abcd1234", path])).toMatchObject({ code: 0 });
    const input = "y".repeat(10_000_000);
    expect(await d.run(["attach", "add", "abcd1234", "-", "--name", "a.txt"], { input })).toMatchObject({
      code: 0,
    });
    const sent = service.requests.map(({ body }) =>
      body.includes(input) ? "input" : body.includes("x".repeat(100_000)),
    );
    expect(sent).toEqual([true, true, "input", "input"]);
    // Its length is known: it was there before the account was asked for.
    expect(service.requests[2]?.headers["transfer-encoding"]).toBeUndefined();
  });
});

describe("attach get", () => {
  test("ends with the service before a slow reader has read anything", async () => {
    const content = "0123456789abcdef".repeat(2 * 1024 * 1024);
    let sent = () => {};
    const reading = new Promise<void>((resolve) => {
      sent = resolve;
    });
    const service = await fakeService((request, response) => {
      if (request.url === "/")
        return sendJson(response, 200, { service: "x", version: "1", extensions: ["attachment-download"] });
      response.writeHead(200, { "content-type": "text/plain", "content-length": content.length });
      response.end(content, sent);
    });
    onTestFinished(() => service.close());
    const d = await deckhand({
      DECKHAND_PROFILE: "",
      DECKHAND_BASE_URL: service.url,
      DECKHAND_API_KEY: "a-key-for-this-test",
    });
    const got = await d.ok(["attach", "get", "abcd1234", "a", "--output-file", "-"], { reading });
    expect(got === content).toBe(true);
  });

  test("writes no file in a dry run", async () => {
    const { d, card, file } = await withCard();
    await d.ok(["attach", "add", card, file("map.txt", "a map")]);
    const target = join(d.home, "copy.txt");
    const ran = await d.run(["attach", "get", card, "map.txt", "--output-file", target, "-n"]);
    expect(ran).toMatchObject({
      code: 0,
      stdout: "",
      stderr: expect.stringContaining("Would save map.txt as"),
    });
    expect(readdirSync(d.home)).not.toContain("copy.txt");
  });

  test("writes a new file of that name, or the one that is named, whole", async () => {
    const { d, card, file } = await withCard();
    await d.ok(["attach", "add", card, file("map.txt", "a map")]);
    const target = join(d.home, "saved");
    expect(await d.ok(["attach", "get", card, "map.txt", "--output-file", target])).toBe("");
    expect(readFileSync(target, "utf8")).toBe("a map");
    await d.ok(["attach", "add", card, file("map.txt", "another")]);
    await d.ok(["attach", "get", card, "map.txt", "--output-file", target]);
    expect(readFileSync(target, "utf8")).toBe("another");
    expect(readdirSync(d.home).filter((name) => name.startsWith("."))).toEqual([]);
  });

  test("says in words why it cannot write", async () => {
    const { d, card, file } = await withCard();
    await d.ok(["attach", "add", card, file("map.txt", "a map")]);
    for (const [target, why] of [
      [join(d.home, "nosuch", "map"), "there is no such file or folder"],
      [join(file("plain", "x"), "map"), "part of its path is a file"],
    ] as const)
      expect(await d.run(["attach", "get", card, "map.txt", "--output-file", target])).toMatchObject({
        code: 2,
        stderr: `deckhand: could not write ${target}: ${why}\n`,
      });
  });

  test.skipIf(!existsSync("/dev/full"))("says so where a device takes no more", async () => {
    const { d, card, file } = await withCard();
    await d.ok(["attach", "add", card, file("map.txt", "a map")]);
    expect(await d.run(["attach", "get", card, "map.txt", "--output-file", "/dev/full"])).toMatchObject({
      code: 2,
      stderr:
        "deckhand: could not write /dev/full: no space is left on the device\nFree space on the disk.\n",
    });
  });

  test("replaces what a symbolic link names by the file itself, and leaves its target alone", async () => {
    const { d, card, file } = await withCard();
    await d.ok(["attach", "add", card, file("map.txt", "a map")]);
    const [secret, link] = [file("secret", "kept"), join(d.home, "link")];
    symlinkSync(secret, link);
    await d.ok(["attach", "get", card, "map.txt", "--output-file", link]);
    expect(readFileSync(secret, "utf8")).toBe("kept");
  });

  test("does not read a name as a path, nor replace a file that was not named", async () => {
    const { d, card } = await withCard();
    const before = process.cwd();
    const work = join(d.home, "work");
    mkdirSync(work);
    process.chdir(work);
    onTestFinished(() => process.chdir(before));
    await d.ok(["attach", "add", card, "-", "--name", "..\\evil"], { input: "x" });
    for (const name of ["..\\evil", "../evil", "/etc/evil", ".."]) {
      const { code, stderr } = await d.run(["attach", "get", card, name]);
      expect(code).toBe(2);
      expect(stderr).toContain("--output-file");
    }
    await d.ok(["attach", "add", card, "-", "--name", "a.txt"], { input: "new" });
    await d.ok(["attach", "get", card, "a.txt"]);
    writeFileSync("a.txt", "mine");
    expect(await d.run(["attach", "get", card, "a.txt"])).toMatchObject({ code: 2 });
    expect(readFileSync("a.txt", "utf8")).toBe("mine");
  });

  test.each(["file", "-"])("fetches to %s again what broke off", async (to) => {
    let fetches = 0;
    const service = await fakeService((request, response) => {
      if (request.url === "/")
        return sendJson(response, 200, { service: "x", version: "1", extensions: ["attachment-download"] });
      response.writeHead(200, { "content-type": "application/octet-stream", "content-length": "5" });
      if (fetches++ < 2) response.write("wh", () => response.destroy());
      else response.end("whole");
    });
    onTestFinished(() => service.close());
    const d = await deckhand({
      DECKHAND_PROFILE: "",
      DECKHAND_BASE_URL: service.url,
      DECKHAND_API_KEY: "a-key-for-this-test",
    });
    const target = to === "-" ? to : join(d.home, to);
    const stdout = await d.ok(["attach", "get", "abcd1234", "a", "--output-file", target]);
    expect(to === "-" ? stdout : readFileSync(target, "utf8")).toBe("whole");
    expect(fetches).toBe(3);
    expect(readdirSync(d.home).filter((name) => name.startsWith(".file"))).toEqual([]);
  });

  test("leaves the old file when the download breaks off", async () => {
    const service = await fakeService((request, response) => {
      if (request.url === "/")
        return sendJson(response, 200, { service: "x", version: "1", extensions: ["attachment-download"] });
      response.writeHead(200, { "content-type": "application/octet-stream", "content-length": "1000" });
      response.write("half", () => response.destroy());
    });
    onTestFinished(() => service.close());
    const d = await deckhand({
      DECKHAND_PROFILE: "",
      DECKHAND_BASE_URL: service.url,
      DECKHAND_API_KEY: "a-key-for-this-test",
    });
    const target = join(d.home, "kept");
    writeFileSync(target, "old");
    const ran = await d.run(["attach", "get", "abcd1234", "a", "--output-file", target, "--retries", "0"]);
    expect(ran.code).toBe(8);
    expect(readFileSync(target, "utf8")).toBe("old");
    expect(readdirSync(d.home).filter((name) => name.startsWith(".kept"))).toEqual([]);
  });

  test("leaves the old file, and no other, when it is interrupted", async () => {
    const service = await fakeService((request, response) => {
      if (request.url === "/")
        return sendJson(response, 200, { service: "x", version: "1", extensions: ["attachment-download"] });
      response.writeHead(200, { "content-type": "application/octet-stream", "content-length": "1000" });
      response.write("half");
    });
    onTestFinished(() => service.close());
    const d = await deckhand({
      DECKHAND_PROFILE: "",
      DECKHAND_BASE_URL: service.url,
      DECKHAND_API_KEY: "a-key-for-this-test",
    });
    const target = join(d.home, "kept");
    writeFileSync(target, "old");
    const parts = () => readdirSync(d.home).filter((name) => name.startsWith(".kept"));
    const stop = new AbortController();
    const running = d.run(["attach", "get", "abcd1234", "a", "--output-file", target], {
      signal: stop.signal,
    });
    await waitFor(() => parts().length > 0, "it writes");
    stop.abort(new InterruptedError("SIGINT"));
    expect(await running).toEqual({ code: 130, stdout: "", stderr: "" });
    expect(readFileSync(target, "utf8")).toBe("old");
    expect(parts()).toEqual([]);
  });

  test("writes into a named pipe instead of replacing it", async () => {
    const { d, card, file } = await withCard();
    await d.ok(["attach", "add", card, file("map.txt", "a map")]);
    const pipe = join(d.home, "pipe");
    execFileSync("mkfifo", [pipe]);
    const { open } = await import("node:fs/promises");
    const [reader] = await Promise.all([
      open(pipe, "r").then(async (handle) => {
        const text = await handle.readFile("utf8");
        await handle.close();
        return text;
      }),
      d.ok(["attach", "get", card, "map.txt", "--output-file", pipe]),
    ]);
    expect(reader).toBe("a map");
    rmSync(pipe);
  });

  test("says that the API has no download where the service has not the extension", async () => {
    const service = await fakeService((_request, response) => sendJson(response, 404, { errors: ["no"] }));
    onTestFinished(() => service.close());
    const d = await deckhand({
      DECKHAND_PROFILE: "",
      DECKHAND_BASE_URL: service.url,
      DECKHAND_API_KEY: "a-key-for-this-test",
    });
    const { code, stderr } = await d.run(["attach", "get", "abcd1234", "a.txt"]);
    expect(code).toBe(2);
    expect(stderr).toContain("the API has no download");
    expect(service.requests.map(({ url }) => url)).toEqual(["/"]);
  });
});

describe("attach remove", () => {
  test("does not ask, and reports each file that does not exist", async () => {
    const { d, card, file } = await withCard();
    await d.ok(["attach", "add", card, file("a.txt", "x")]);
    const { code, stdout, stderr } = await d.run(["attach", "remove", card, "a.txt", "b.txt"]);
    expect({ code, stdout }).toEqual({ code: 9, stdout: "a.txt\n" });
    expect(stderr).toContain(`there is no attachment "b.txt" of card ${card}`);
    await d.ok(["attach", "add", card, file("a.txt", "x")]);
    expect(JSON.parse(await d.ok(["attach", "remove", card, "a.txt", "-o", "json"]))).toEqual({
      "file-name": "a.txt",
    });
  });

  test("refuses names that would reach the card itself", async () => {
    const { d, card } = await withCard();
    for (const name of ["..", ".", ""])
      expect(await d.run(["attach", "remove", card, name])).toMatchObject({ code: 2, stdout: "" });
    expect(await d.run(["cards", "get", card])).toMatchObject({ code: 0 });
  });
});
