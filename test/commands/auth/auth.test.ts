import { chmodSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { spawn } from "@lydell/node-pty";
import { describe, expect, onTestFinished, test } from "vitest";
import { program } from "../../support/cli.ts";
import { fakeService, sendJson } from "../../support/fake-service.ts";
import { startTestServer } from "../../support/service.ts";
import { waitFor } from "../../support/wait-for.ts";
import { type Deckhand, deckhand } from "../../support/world.ts";

const none = { DECKHAND_PROFILE: "" };

/** Logged in to a real service as the profile `work`. */
async function loggedIn() {
  const server = await startTestServer();
  const d = await deckhand(none);
  const login = await d.run(
    ["auth", "login", "--profile", "work", "--base-url", `${server.url}/`, "--key-stdin"],
    { input: `${server.key}\n` },
  );
  return { server, d, login };
}

const config = (d: Deckhand) => JSON.parse(readFileSync(join(d.home, "config", "config.json"), "utf8"));

describe("auth login", () => {
  test("saves the profile as the default, and the key apart, readable by the owner only", async () => {
    const { server, d, login } = await loggedIn();
    expect(login).toEqual({
      code: 0,
      stdout: "",
      stderr: `Logged in to ${server.url}; the profile work is now the default\n`,
    });
    expect(config(d)).toMatchObject({ profile: "work", profiles: { work: { "base-url": server.url } } });
    expect(config(d).profiles.work.id).toMatch(/^[0-9a-f]{16}$/);
    expect(JSON.stringify(config(d))).not.toContain(server.key);
    const credentials = join(d.home, "config", "credentials.json");
    expect(statSync(credentials).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(credentials, "utf8"))).toEqual({
      work: { origin: server.url, key: server.key },
    });
    expect(await d.ok(["decks", "list"])).toBe("");
  });

  test("saves nothing unless the service accepts the key", async () => {
    const server = await startTestServer();
    const d = await deckhand(none);
    const login = (url: string, key: string) =>
      d.run(["auth", "login", "--base-url", url, "--key-stdin", "--retries", "0"], { input: key });
    const wrong = await login(server.url, "not-the-right-key");
    expect(wrong.code).toBe(3);
    expect(wrong.stderr).toContain("Nothing was saved.");
    expect(wrong.stderr).not.toContain("not-the-right-key");
    expect(await login(`${server.url}/elsewhere`, server.key)).toMatchObject({ code: 4 });
    await server.close();
    expect(await login(server.url, server.key)).toMatchObject({
      code: 8,
      stderr: expect.stringContaining(
        "Is the service running there? Check the base URL. Nothing was saved.\n",
      ),
    });
    expect(await login("ftp://example.com", server.key)).toMatchObject({ code: 2 });
    expect(await login("http://example.com", server.key)).toMatchObject({ code: 3 });
    for (const key of ["", "with:colon", "with\u0007bell"])
      expect(await login(server.url, key)).toMatchObject({ code: 2, stdout: "" });
    expect(() => statSync(join(d.home, "config", "config.json"))).toThrow("ENOENT");
    expect(() => statSync(join(d.home, "config", "credentials.json"))).toThrow("ENOENT");
  });

  test("names the profile after the host where no name is given, and keeps its id at the next login", async () => {
    const { server, d } = await loggedIn();
    const args = ["auth", "login", "--base-url", server.url, "--key-stdin", "--codec", "transit"];
    await d.ok(args, { input: server.key });
    const name = new URL(server.url).host.replace(":", "-");
    expect(config(d)).toMatchObject({ profile: name, profiles: { [name]: { codec: "transit" } } });
    const { id } = config(d).profiles.work;
    await d.ok(["auth", "login", "--profile", "work", "--key-stdin"], { input: server.key });
    expect(config(d).profiles.work).toEqual({ id, "base-url": server.url });
  });

  test("needs a person or --key-stdin, and a name that is not local", async () => {
    const d = await deckhand(none);
    const { code, stderr } = await d.run(["auth", "login", "--base-url", "https://example.com"]);
    expect(code).toBe(2);
    expect(stderr).toContain("--key-stdin");
    const service = await fakeService((_request, response) => sendJson(response, 200, { docs: [] }));
    onTestFinished(() => service.close());
    const args = ["auth", "login", "--profile", "local", "--base-url", service.url, "--key-stdin"];
    expect(await d.run(args, { input: "some-secret-key" })).toMatchObject({ code: 2 });
    expect(service.requests).toEqual([]);
    expect(await d.run(["auth", "login", "--key-stdin"], { input: "abc" })).toMatchObject({ code: 2 });
  });

  test("sends nothing and saves nothing in a dry run", async () => {
    const service = await fakeService((_request, response) => sendJson(response, 200, { docs: [] }));
    onTestFinished(() => service.close());
    const d = await deckhand(none);
    const ran = await d.run(["auth", "login", "--base-url", service.url, "--key-stdin", "-n"], {
      input: "some-secret-key",
    });
    expect(ran).toEqual({ code: 0, stdout: "GET /decks\n", stderr: "" });
    expect(service.requests).toEqual([]);
    expect(() => statSync(join(d.home, "config"))).toThrow("ENOENT");
  });

  test("asks for base URL and key on a terminal, and shows no key", async () => {
    const server = await startTestServer();
    const d = await deckhand(none);
    const { code, shown } = await typed(d, server.url, server.key);
    expect({ code, shown }).toEqual({ code: 0, shown: expect.stringContaining("Logged in to") });
    expect(shown).not.toContain(server.key);
    expect(await d.ok(["decks", "list"])).toBe("");
  });

  test("reads a base URL without a scheme as https, as the question shows it", async () => {
    const server = await startTestServer();
    const d = await deckhand(none);
    const { code, shown } = await typed(d, server.url.replace("http://", ""), server.key);
    expect({ code, shown }).toEqual({
      code: 8,
      shown: expect.stringContaining(`no safe connection to ${server.url.replace("http:", "https:")}`),
    });
  });
});

/** What a login on a terminal shows to somebody who types that, and how it ends. */
async function typed(d: { readonly home: string }, baseUrl: string, key: string) {
  const terminal = spawn(process.execPath, [program, "auth", "login"], {
    cols: 200,
    rows: 24,
    env: { PATH: process.env["PATH"] ?? "", HOME: d.home, DECKHAND_HOME: d.home, TERM: "xterm" },
  });
  let [shown, code] = ["", undefined as number | undefined];
  terminal.onData((data) => {
    shown += data;
  });
  terminal.onExit(({ exitCode }) => {
    code = exitCode;
  });
  await waitFor(() => shown.includes("Base URL"), "the question for the base URL");
  terminal.write(`${baseUrl}\r`);
  await waitFor(() => shown.includes("API key"), "the question for the key");
  terminal.write(`${key}\r`);
  await waitFor(() => code !== undefined, "the end of the program");
  return { code, shown };
}

describe("auth status", () => {
  test("shows the account, where each part came from, and four characters of the key", async () => {
    const { server, d } = await loggedIn();
    const shown = await d.ok(["auth", "status"]);
    expect(shown).not.toContain(server.key);
    expect(JSON.parse(shown)).toEqual({
      profile: "work",
      "profile-from": "config",
      "base-url": server.url,
      "base-url-from": "profile",
      codec: "json",
      "codec-from": "default",
      key: `…${server.key.slice(-4)}`,
      "key-from": "credentials",
      "answers?": true,
      extensions: [
        "reviews",
        "attachment-list",
        "attachment-download",
        "due-pages",
        "conditional-writes",
        "schedule",
        "ids",
        "batch",
        "today",
        "deck-settings",
        "due-writes",
        "template-writes",
      ],
    });
  });

  test("reports that the service does not answer, and ends with that failure's code", async () => {
    const { server, d } = await loggedIn();
    await server.close();
    const { code, stdout, stderr } = await d.run(["auth", "status", "--retries", "0"]);
    expect(code).toBe(8);
    expect(JSON.parse(stdout)).toMatchObject({ "answers?": false, problem: expect.any(String) });
    expect(stderr).toContain("deckhand: ");
  });

  test("says where to change a key that is refused", async () => {
    const { server, d } = await loggedIn();
    const env = { DECKHAND_API_KEY: "another-key-of-nobody", DECKHAND_BASE_URL: server.url };
    const given = await d.run(["auth", "status"], { env });
    expect(given).toMatchObject({ code: 3, stderr: expect.stringContaining("Set DECKHAND_API_KEY") });
    await server.application.keys.remove("default");
    const saved = await d.run(["auth", "status"]);
    expect(saved).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("deckhand auth login --profile work"),
    });
  });

  test("shows no part of a short key, and says that the local service has none", async () => {
    const service = await fakeService((_request, response) => sendJson(response, 200, { docs: [] }));
    onTestFinished(() => service.close());
    const d = await deckhand(none);
    const env = { DECKHAND_BASE_URL: service.url, DECKHAND_API_KEY: "short" };
    expect(JSON.parse(await d.ok(["auth", "status"], { env }))).toMatchObject({
      profile: null,
      key: "…",
      "key-from": "environment",
      extensions: [],
    });
    expect(JSON.parse(await d.ok(["auth", "status", "--profile", "local"]))).toMatchObject({
      profile: "local",
      key: null,
      "answers?": true,
    });
  });
});

describe("auth list, use and logout", () => {
  test("lists the accounts, changes the default and removes a key", async () => {
    const { server, d } = await loggedIn();
    expect(await d.ok(["auth", "list"])).toBe(`local\t\tfalse\tfalse\nwork\t${server.url}\ttrue\ttrue\n`);
    await d.ok(["auth", "use", "local"]);
    expect(await d.ok(["auth", "list", "--columns", "profile,in-use?"])).toBe("local\ttrue\nwork\tfalse\n");
    expect(await d.ok(["auth", "list", "-o", "id"])).toBe("local\nwork\n");
    expect(await d.run(["auth", "use", "nobody"])).toMatchObject({ code: 2 });
    await d.ok(["auth", "logout", "work", "-n"]);
    await d.ok(["auth", "logout", "work"]);
    expect(readFileSync(join(d.home, "config", "credentials.json"), "utf8")).not.toContain(server.key);
    const { code, stderr } = await d.run(["decks", "list", "--profile", "work"]);
    expect(code).toBe(3);
    expect(stderr).toContain("auth login --profile work");
    expect(await d.run(["auth", "logout", "nobody"])).toMatchObject({ code: 2 });
    expect(await d.run(["auth", "logout", "local"])).toMatchObject({ code: 2 });
  });
});

describe("a saved key", () => {
  test("is sent only to the origin that it was saved for", async () => {
    const { server, d } = await loggedIn();
    const service = await fakeService((_request, response) => sendJson(response, 200, { docs: [] }));
    onTestFinished(() => service.close());
    const { code, stderr } = await d.run(["decks", "list", "--base-url", service.url]);
    expect(code).toBe(3);
    expect(stderr).toContain("DECKHAND_API_KEY");
    expect(stderr).not.toContain(server.key);
    expect(service.requests).toEqual([]);
    expect(await d.run(["decks", "list", "--base-url", `${server.url}/nope`])).toMatchObject({ code: 4 });
  });

  test("is refused where others can read the file", async () => {
    const { d } = await loggedIn();
    const path = join(d.home, "config", "credentials.json");
    chmodSync(path, 0o644);
    const { code, stderr } = await d.run(["decks", "list"]);
    expect(code).toBe(3);
    expect(stderr).toContain("can be read by others");
  });
});
