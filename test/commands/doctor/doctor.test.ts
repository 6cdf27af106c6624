import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { fakeService, sendJson } from "../../support/fake-service.ts";
import { startTestServer } from "../../support/service.ts";
import { deckhand } from "../../support/world.ts";

interface Finding {
  readonly check: string;
  readonly "ok?": boolean;
  readonly detail: string;
}

async function findings(env: Record<string, string>, prepare?: (home: string) => void) {
  const d = await deckhand(env);
  prepare?.(d.home);
  const ran = await d.run(["doctor", "-o", "json"]);
  const list: Finding[] = JSON.parse(ran.stdout);
  return { ...ran, of: (check: string) => list.find((each) => each.check === check), list };
}

describe("doctor", () => {
  test("finds nothing wrong with the local service", async () => {
    const { code, list, of } = await findings({});
    expect(code).toBe(0);
    expect(list.every((each) => each["ok?"])).toBe(true);
    expect(of("service")?.detail).toMatch(/answers in \d+ ms/);
    expect(of("extensions")?.detail).toContain("reviews");
  });

  test("reports the clock of a service on the network, and never the key", async () => {
    const server = await startTestServer();
    const env = { DECKHAND_PROFILE: "", DECKHAND_BASE_URL: server.url, DECKHAND_API_KEY: server.key };
    const { code, of, stdout, stderr } = await findings(env);
    expect(code).toBe(0);
    expect(of("service clock")?.detail).toMatch(/same as here|\d s (ahead|behind)/);
    expect(of("base-url")?.detail).toBe(`${server.url} (environment)`);
    expect(stdout + stderr).not.toContain(server.key);
  });

  test("shows a timeout as it is typed", async () => {
    const { of } = await findings({ DECKHAND_TIMEOUT: "90s" });
    expect(of("timeout")?.detail).toBe("90s (environment)");
  });

  test("reports settings that cannot be read, and everything else", async () => {
    const damaged = await findings({}, (home) => {
      mkdirSync(join(home, "config"), { recursive: true, mode: 0o700 });
      writeFileSync(join(home, "config", "config.json"), "{");
    });
    expect(damaged.code).toBe(1);
    expect(damaged.of("account")).toMatchObject({
      "ok?": false,
      detail: expect.stringContaining("are damaged"),
    });
    expect(damaged.of("data folder")).toMatchObject({ "ok?": true });
    const wrong = await findings({ DECKHAND_RETRIES: "many" });
    expect(wrong.code).toBe(1);
    expect(wrong.of("account")?.detail).toContain("DECKHAND_RETRIES must be");
  });

  test("does not take its own lock for another's", async () => {
    const server = await startTestServer();
    const env = { DECKHAND_PROFILE: "", DECKHAND_BASE_URL: server.url, DECKHAND_API_KEY: server.key };
    expect((await findings(env)).of("account lock")?.detail).toBe("free");
  });

  test("says on a terminal all of what is wrong, however narrow", async () => {
    const d = await deckhand({ DECKHAND_PROFILE: "nosuch" });
    const { code, stdout, stderr } = await d.run(["doctor"], { terminal: true, columns: 60 });
    expect(code).toBe(1);
    expect(stdout).not.toContain("deckhand auth login");
    const text = stderr.replace(/\s+/g, " ");
    expect(text).toContain('account: there is no profile "nosuch"');
    expect(text).toContain("deckhand auth login --profile <name>");
    const piped = await d.run(["doctor"]);
    expect(piped.stderr).toBe("deckhand: 1 check failed\n");
  });

  test("ends with 1 where the service refuses the key", async () => {
    const server = await startTestServer();
    const env = { DECKHAND_PROFILE: "", DECKHAND_BASE_URL: server.url, DECKHAND_API_KEY: "wrong-key-wrong" };
    const { code, of } = await findings(env);
    expect(code).toBe(1);
    expect(of("service")).toMatchObject({ "ok?": false });
  });

  test("ends with 1 where nothing is configured in CI", async () => {
    const { code, of } = await findings({ DECKHAND_PROFILE: "", CI: "true" });
    expect(code).toBe(1);
    expect(of("account")).toMatchObject({ "ok?": false });
  });

  test("reports keys that others can read, and a folder that others can change", async () => {
    const { code, of } = await findings({}, (home) => {
      mkdirSync(join(home, "config"), { recursive: true });
      writeFileSync(join(home, "config", "credentials.json"), "{}");
      chmodSync(join(home, "config", "credentials.json"), 0o644);
      chmodSync(join(home, "config"), 0o777);
    });
    expect(code).toBe(1);
    expect(of("credentials")?.detail).toContain("chmod 600");
    expect(of("config folder")).toMatchObject({ "ok?": false });
  });
});

test("a pause of a day that the service asked for ends a command at once, and the next one asks again", async () => {
  const pauses = [86_400];
  const service = await fakeService((_, response) => {
    const pause = pauses.pop();
    if (pause === undefined) return sendJson(response, 200, { docs: [], bookmark: "nil" });
    sendJson(response, 429, { errors: ["slow down"] }, { "retry-after": String(pause) });
  });
  onTestFinished(() => service.close());
  const env = {
    DECKHAND_PROFILE: "",
    DECKHAND_BASE_URL: service.url,
    DECKHAND_API_KEY: "a-key-for-this-test",
  };
  const d = await deckhand(env);
  expect((await d.run(["decks", "list"])).code).toBe(6);
  expect((await d.run(["decks", "list"])).code).toBe(0);
});
