import { describe, expect, test } from "vitest";
import type { Config } from "../../src/config/config-file.ts";
import type { Credential } from "../../src/config/credentials.ts";
import {
  resolveAccount,
  resolveSettings,
  type Sources,
  settingNames,
  settings,
} from "../../src/config/index.ts";
import { aboutSettings } from "../../src/config/settings.ts";

interface Given {
  readonly options?: Record<string, unknown>;
  readonly env?: Record<string, string>;
  readonly config?: Config;
  readonly keys?: Record<string, Credential>;
  readonly problem?: string;
  readonly configProblem?: string;
}

const sources = ({ options = {}, env = {}, config = { profiles: {} }, ...given }: Given): Sources => ({
  options,
  env,
  config,
  configProblem: given.configProblem,
  credentials: () => ({
    path: "/credentials.json",
    keys: new Map(Object.entries(given.keys ?? {})),
    ...(given.problem === undefined ? {} : { problem: given.problem }),
  }),
});
const resolve = (given: Given) => resolveSettings(sources(given));
const account = (given: Given) => resolveAccount(sources(given), resolve(given));

const work: Given = {
  config: {
    profile: "work",
    profiles: { work: { "base-url": "https://cards.example/api", codec: "transit", timeout: "5s" } },
  },
  keys: { work: { origin: "https://cards.example", key: "saved-key" } },
};

describe("a setting", () => {
  test("comes from the option, then the environment, then the profile, then the default", () => {
    const option = { ...work, options: { codec: "json" }, env: { DECKHAND_CODEC: "transit" } };
    expect(resolve(option).codec).toEqual({ value: "json", origin: "option" });
    expect(resolve({ ...work, env: { DECKHAND_CODEC: "json" } }).codec).toEqual({
      value: "json",
      origin: "environment",
    });
    expect(resolve(work).codec).toEqual({ value: "transit", origin: "profile" });
    expect(resolve({}).codec).toEqual({ value: "json", origin: "default" });
  });

  test("has its documented default", () => {
    const defaults = resolve({});
    expect(defaults.timeout.value).toBe(60_000);
    expect(defaults.retries.value).toBe(5);
    expect(defaults.codec.value).toBe("json");
    expect(defaults["review.new-per-day"].value).toBe(20);
    expect(defaults["review.retention"].value).toBe(0.9);
    expect(defaults["allow-insecure"].value).toBe(false);
    expect(settingNames.every((name) => defaults[name].origin === "default")).toBe(true);
  });

  test.each(["1", "0", "0.4", "90%", "0.995", "", "5e-1", "0,9"])(
    "takes %j for no share of cards",
    (text) => {
      expect(settings["review.retention"].parse(text)).toBeUndefined();
      expect(settings["review.retention"].parse(".85")).toBe(0.85);
    },
  );

  test("counts an empty variable as not set", () => {
    expect(resolve({ env: { DECKHAND_CODEC: "", DECKHAND_PROFILE: "" } }).codec.origin).toBe("default");
  });

  test("of no allowed value is refused with its source and the allowed ones", () => {
    expect(() => resolve({ options: { codec: "xml" } })).toThrow(
      '--codec must be one of json, transit, not "xml"',
    );
    expect(() => resolve({ env: { DECKHAND_OUTPUT: "xml" } })).toThrow(
      'DECKHAND_OUTPUT must be one of table, json, ndjson, yaml, csv, tsv, id, not "xml"',
    );
    const profiles = { local: { retries: "many" } };
    expect(() => resolve({ config: { profiles } })).toThrow(
      'retries of the profile local must be a whole number from 0 to 100, not "many"',
    );
    expect(() => resolve({ options: { timeout: "5" } })).toThrow("must be a duration like 500ms, 30s or 2m");
    for (const given of [{ options: { codec: "xml" } }, { env: { DECKHAND_RETRIES: "-1" } }])
      expect(() => resolve(given)).toThrow(expect.objectContaining({ exitCode: 2 }));
  });

  test("is not repeated when it is a base URL that may hold a key", () => {
    const refused = () => resolve({ options: { baseUrl: "https://secret@cards.example" } });
    expect(refused).toThrow("not one with a user name");
    expect(refused).not.toThrow(/secret/);
    const queried = () => resolve({ env: { DECKHAND_BASE_URL: "https://cards.example?key=secret" } });
    expect(queried).toThrow("not one with a query or a fragment");
    expect(queried).not.toThrow(/secret/);
  });

  test("may be written as number or truth value by hand", () => {
    const config = { profiles: { local: { retries: 2, "allow-insecure": true } } };
    expect(resolve({ config }).retries).toEqual({ value: 2, origin: "profile" });
    expect(resolve({ config })["allow-insecure"].value).toBe(true);
  });

  test("of all profiles is at the top of config.json", () => {
    const config = { output: "json", profiles: {} };
    expect(resolve({ config }).output).toEqual({ value: "json", origin: "config" });
  });

  test("of another account is not read from the profile local", () => {
    const config = { profile: "local", profiles: { local: { deck: "Spanish" } } };
    expect(resolve({ config }).deck.value).toBe("Spanish");
    const env = { DECKHAND_BASE_URL: "https://cards.example", DECKHAND_API_KEY: "k" };
    expect(resolve({ config, env }).deck.value).toBeUndefined();
  });

  test("for colour is --no-color, then FORCE_COLOR, then NO_COLOR", () => {
    const colour = (given: Given) => resolve(given).color.value;
    expect(colour({ options: { color: false }, env: { FORCE_COLOR: "1" } })).toBe("never");
    expect(colour({ env: { FORCE_COLOR: "1", NO_COLOR: "1" } })).toBe("always");
    expect(colour({ env: { FORCE_COLOR: "0" } })).toBe("never");
    expect(colour({ env: { NO_COLOR: "1" } })).toBe("never");
    expect(colour({ env: { NO_COLOR: "" } })).toBe("auto");
  });

  test("has a sentence for help", () => {
    for (const name of settingNames) expect(aboutSettings[name]).toMatch(/^[A-Z].*\.$/);
  });
});

describe("a base URL", () => {
  test.each([
    ["https://cards.example/api/", "https://cards.example/api"],
    ["HTTPS://Cards.Example:443", "https://cards.example"],
    ["http://127.0.0.1:8787/", "http://127.0.0.1:8787"],
  ])("%s is kept as %s", (given, kept) => {
    expect(resolve({ options: { baseUrl: given } })["base-url"].value).toBe(kept);
  });

  test.each([
    "cards.example",
    "ftp://x",
    "https://u:p@x",
    "https://x?y",
    "https://x#y",
    "https://",
    "file:///x",
  ])("%s is refused", (given) => {
    expect(() => resolve({ options: { baseUrl: given } })).toThrow(/--base-url must be an http or https/);
  });
});

describe("the account", () => {
  const hosted = { kind: "hosted", baseUrl: "https://cards.example/api" };
  const env = { DECKHAND_BASE_URL: "https://other.example", DECKHAND_API_KEY: "env-key" };
  const refused = (given: Given, message: RegExp | string, exitCode = 3) => {
    expect(() => account(given)).toThrow(message);
    expect(() => account(given)).toThrow(expect.objectContaining({ exitCode }));
    expect(() => account(given)).not.toThrow(/saved-key|env-key/);
  };

  test("is local where nothing is configured, and says that it was not chosen", () => {
    expect(account({})).toEqual({ kind: "local", profile: "local", chosen: false });
    expect(account({ config: { profiles: { local: { deck: "x" } } } })).toMatchObject({ chosen: false });
  });

  test("is local where it was chosen", () => {
    const chosen = { kind: "local", profile: "local", chosen: true };
    expect(account({ options: { profile: "local" } })).toEqual(chosen);
    expect(account({ env: { DECKHAND_PROFILE: "local", CI: "1" } })).toEqual(chosen);
    expect(account({ config: { profile: "local", profiles: {} }, env: { CI: "true" } })).toEqual(chosen);
    expect(account({ ...work, options: { profile: "local" } })).toEqual(chosen);
    expect(account({ options: { profile: "local" }, env })).toEqual(chosen);
  });

  test("is refused in CI where nothing is configured", () => {
    refused({ env: { CI: "true" } }, "no account is configured");
    refused({ env: { CI: "1" }, config: { profiles: { local: {} } } }, "no account is configured");
    for (const CI of ["", "0", "false"]) expect(account({ env: { CI } }).kind).toBe("local");
  });

  test("is that of the default profile, with its saved key", () => {
    expect(account(work)).toEqual({ ...hosted, profile: "work", key: "saved-key", keyOrigin: "credentials" });
  });

  test("prefers the key of the environment to the saved one", () => {
    expect(account({ ...work, env: { DECKHAND_API_KEY: "env-key" } })).toMatchObject({
      ...hosted,
      key: "env-key",
      keyOrigin: "environment",
    });
  });

  test("is that of the environment where it gives both", () => {
    const whole = { kind: "hosted", baseUrl: "https://other.example", key: "env-key" };
    expect(account({ env })).toMatchObject({ ...whole, profile: undefined });
    expect(account({ ...work, env })).toMatchObject({ ...whole, profile: "work" });
    expect(account({ env, config: { profile: "local", profiles: {} } })).toMatchObject(whole);
    expect(account({ env, configProblem: "could not read" })).toMatchObject(whole);
  });

  test("never sends a saved key to another origin", () => {
    for (const baseUrl of ["https://other.example", "http://cards.example", "https://cards.example:8443"])
      refused({ ...work, options: { baseUrl } }, "was saved for https://cards.example; it is not sent to");
    expect(account({ ...work, options: { baseUrl: "https://cards.example/v2" } })).toMatchObject({
      key: "saved-key",
    });
  });

  test("is refused where the environment gives half of it", () => {
    refused({ env: { DECKHAND_API_KEY: "env-key" } }, "DECKHAND_API_KEY is set, but no base URL is");
    refused({ env: { DECKHAND_BASE_URL: env.DECKHAND_BASE_URL } }, "DECKHAND_API_KEY is not set");
    const local = { config: { profile: "local", profiles: {} } };
    refused({ ...local, env: { DECKHAND_API_KEY: "env-key" } }, "no base URL is");
    refused({ ...local, env: { DECKHAND_BASE_URL: env.DECKHAND_BASE_URL } }, "DECKHAND_API_KEY is not set");
  });

  test("is refused where the profile does not exist", () => {
    refused({ ...work, options: { profile: "wrok" } }, 'no profile "wrok"; there are: local, work', 2);
    refused({ env: { DECKHAND_PROFILE: "work" } }, 'no profile "work"; there are: local', 2);
    refused({ config: { profile: "gone", profiles: {} } }, "the default profile does not exist");
    refused({ options: { profile: "constructor" } }, "no profile", 2);
  });

  test("is refused where profiles exist and none is chosen", () => {
    refused({ ...work, config: { profiles: work.config?.profiles ?? {} } }, "there are local, work");
  });

  test("is refused without a key, with the reason why a saved one is not used", () => {
    refused({ ...work, keys: {} }, "no key is saved for the profile work");
    refused({ ...work, keys: {}, problem: "can be read by others" }, "can be read by others");
  });

  test("is refused where settings it needs can't be read", () => {
    refused({ configProblem: "could not read config.json" }, "could not read config.json");
    refused({ configProblem: "could not read", env: { DECKHAND_API_KEY: "env-key" } }, "could not read");
  });

  test("refuses a base URL for the local service", () => {
    refused({ options: { profile: "local", baseUrl: "https://x.example" } }, "has no base URL", 2);
  });

  test.each(["a:b", "a\nb", "a\u007fb", "a\u0000"])("refuses the key %j without repeating it", (key) => {
    const given = { env: { DECKHAND_BASE_URL: "https://x.example", DECKHAND_API_KEY: key } };
    refused(given, "the key in DECKHAND_API_KEY is not a valid key");
    expect(() => account(given)).not.toThrow(new RegExp(JSON.stringify(key).slice(1, -1)));
  });

  test("removes the white space around the key of the environment", () => {
    const env = { DECKHAND_BASE_URL: "https://x.example", DECKHAND_API_KEY: " k\r\n" };
    expect(account({ env })).toMatchObject({ kind: "hosted", key: "k" });
    refused({ env: { ...env, DECKHAND_API_KEY: "\n" } }, "DECKHAND_API_KEY is not set");
  });

  test.each([
    "http://127.0.0.1:8787",
    "http://127.8.8.8",
    "http://localhost:1",
    "http://[::1]:80",
    "http://2130706433/",
    "https://x.example",
  ])("sends a key to %s", (baseUrl) => {
    expect(account({ env: { DECKHAND_BASE_URL: baseUrl, DECKHAND_API_KEY: "k" } }).kind).toBe("hosted");
  });

  test.each([
    "http://x.example",
    "http://128.0.0.1",
    "http://127.0.0.1.x.example",
    "http://localhost.x.example",
    "http://0.0.0.0",
    "http://[::]",
    "http://10.0.0.1",
  ])("sends no key to %s unless the profile allows it", (baseUrl) => {
    refused(
      { env: { DECKHAND_BASE_URL: baseUrl, DECKHAND_API_KEY: "k" } },
      "a key is not sent over plain http",
    );
    const insecure = { "base-url": baseUrl, "allow-insecure": true };
    const config = { profile: "lan", profiles: { lan: insecure } };
    expect(account({ config, env: { DECKHAND_API_KEY: "k" } }).kind).toBe("hosted");
  });

  test("says how plain http is allowed: for the profile, or where there is none, with one", () => {
    const env = { DECKHAND_BASE_URL: "http://10.0.0.1", DECKHAND_API_KEY: "k" };
    const config = { profile: "lan", profiles: { lan: { "base-url": "http://10.0.0.1" } } };
    const hint = (text: string): unknown => expect.objectContaining({ hint: expect.stringContaining(text) });
    expect(() => account({ env })).toThrow(hint("`deckhand auth login --allow-insecure`"));
    expect(() => account({ env, config })).toThrow(hint("`deckhand config set allow-insecure true`"));
  });
});
