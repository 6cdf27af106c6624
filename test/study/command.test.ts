import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { cli, serve } from "../support/cli.ts";
import { waitFor } from "../support/wait-for.ts";

/** A request of a page, which says where it comes from. */
const post = (url: string, headers: Record<string, string>, body = "{}") =>
  fetch(url, {
    method: "POST",
    redirect: "manual",
    body,
    headers: { origin: new URL(url).origin, "content-type": "application/json", ...headers },
  });

function home() {
  const made = cli({ DECKHAND_PROFILE: "local" });
  onTestFinished(() => made.remove());
  return made;
}

describe("serve", () => {
  test("shows the study page to people with a key, also under a base path", async () => {
    const served = await serve(home(), ["--base-path", "/cards"]);
    onTestFinished(() => void served.process.kill("SIGKILL"));
    const moved = await fetch(`${served.url}/study`, { redirect: "manual" });
    expect(new URL(moved.headers.get("location") ?? "", `${served.url}/study`).href).toBe(
      `${served.url}/study/`,
    );
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const login = await post(`${served.url}/study/login`, form, `key=${served.key}`);
    const cookie = (login.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    const page = await fetch(`${served.url}/study/`, { headers: { cookie } });
    expect(await page.text()).toContain("<h1>Today</h1>");
    expect(served.stdout() + served.stderr().replace(served.key, "")).not.toContain(served.key);
  });

  test("leaves the study page out with --no-study", async () => {
    const served = await serve(home(), ["--no-study"]);
    onTestFinished(() => void served.process.kill("SIGKILL"));
    for (const path of ["/study", "/study/", "/study/login", "/study/page.js"])
      expect((await fetch(served.url + path)).status).toBe(401);
  });

  test("signs out the browsers of an account with key revoke, and keeps its keys", async () => {
    const host = home();
    await host.ok(["serve", "key", "add", "anna"]);
    expect(await host.ok(["serve", "key", "revoke", "anna"])).toBe("");
    expect(await host.ok(["serve", "key", "list", "-o", "json"])).toContain("anna");
    expect((await host.run(["serve", "key", "revoke"])).code).toBe(2);
  });
});

describe("review --browser", () => {
  test("prints a link that works once, records answers, and ends with the review", async () => {
    const host = home();
    const deck = (await host.ok(["decks", "create", "Geography"])).trim();
    const card = (
      await host.ok(["cards", "create", "--deck-id", deck, "--content", "Norway?\n---\nOslo"])
    ).trim();
    const child = host.start(["review", "--browser", "Geography", "--type"]);
    let text = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    const ended = new Promise<number | null>((done) => child.once("close", done));
    onTestFinished(() => void child.kill("SIGKILL"));
    await waitFor(() => /^http\S+\n/.test(text), "the link");
    const link = /^(\S+)\n/.exec(text)?.[1] ?? "";
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/study\/login\?[\w-]{32}$/);
    const study = link.replace(/login\?.*/, "");
    expect((await fetch(`${study}card/abcdefgh`)).status).toBe(401);
    const started = await fetch(link);
    expect(await started.text()).toContain(`review?deck-id=${deck}&#38;type=1`);
    expect((await fetch(link)).status).toBe(401);
    const cookie = (started.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    const page = await (await fetch(`${study}review?deck-id=${deck}`, { headers: { cookie } })).text();
    expect(JSON.parse(/id="session">(.*)<\/script>/.exec(page)?.[1] ?? "")).toMatchObject({
      account: "default",
      cards: [{ id: card, deck: "Geography" }],
    });
    expect((await post(`${study}reviews/${card}`, { cookie }, '{"remembered?":true}')).status).toBe(200);
    expect((await fetch(`${new URL(link).origin}/decks`)).status).toBe(404);
    // Nobody could sign in again.
    expect(await (await fetch(study, { headers: { cookie } })).text()).not.toContain("Sign out");
    expect((await post(`${study}done`, { cookie })).status).toBe(204);
    expect(await ended).toBe(0);
    expect(await host.ok(["cards", "get", card, "-o", "json", "--jq", ".reviews | length"])).toBe("1\n");
    // A browser keeps what it could not send by the address of the page.
    const again = host.start(["review", "--browser"]);
    onTestFinished(() => void again.kill("SIGKILL"));
    text = "";
    again.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    await waitFor(() => text.includes("\n"), "the link");
    expect(new URL(text.trim()).origin).toBe(new URL(link).origin);
  });

  test("is refused for a hosted account, and with what only the terminal has", async () => {
    const host = cli({
      DECKHAND_PROFILE: "",
      DECKHAND_API_KEY: "k",
      DECKHAND_BASE_URL: "http://127.0.0.1:9/",
    });
    onTestFinished(() => host.remove());
    const hosted = await host.run(["review", "--browser"]);
    expect([hosted.code, hosted.stderr]).toEqual([
      2,
      expect.stringContaining("--browser is for the local collection"),
    ]);
    expect((await home().run(["review", "--browser", "--plain"])).code).toBe(2);
  });
});

test("no other command loads the study page, nor does serve without it", async () => {
  const host = home();
  const [hook, loaded] = [join(host.home, "hook.cjs"), join(host.home, "loaded")];
  const code = `process.on("exit", () => require("node:fs").appendFileSync(${JSON.stringify(loaded)}, Object.keys(require.cache).join("\\n")));`;
  writeFileSync(hook, code);
  const env = { NODE_OPTIONS: `--require=${hook}` };
  for (const args of [["due"], ["decks", "list"], ["cards", "list"], ["stats"]]) await host.ok(args, { env });
  const served = host.start(["serve", "--port", "0", "--no-study"], { env });
  let text = "";
  served.stdout?.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  await waitFor(() => text.includes("listening"), "the address");
  served.kill("SIGTERM");
  await new Promise((done) => served.once("close", done));
  const files = readFileSync(loaded, "utf8").split("\n");
  expect(files.some((file) => file.includes("/dist/chunks/"))).toBe(true);
  expect(files.filter((file) => /\/study-|temml|hast-/.test(file))).toEqual([]);
});

test("the script of the study page imports the terminal's session and of the program nothing else but types", () => {
  const folder = "src/study/script";
  const imported = readdirSync(folder)
    .filter((name) => name.endsWith(".ts"))
    .flatMap((name) => [
      ...readFileSync(join(folder, name), "utf8").matchAll(/^import (?!type )[^;]* from "(\.[^"]+)"/gm),
    ])
    .map(([, path = ""]) => path);
  const allowed = /^\.\/|^\.\.\/\.\.\/review\/(?:session\/|(?:ports|keymap)\.ts$)/;
  expect(imported.length).toBeGreaterThan(10);
  expect(imported.filter((path) => !allowed.test(path))).toEqual([]);
});
