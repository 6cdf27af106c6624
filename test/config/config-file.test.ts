import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { changeConfig } from "../../src/config/change-config.ts";
import { profileNames, readConfig } from "../../src/config/config-file.ts";
import { readCredentials } from "../../src/config/credentials.ts";
import { chooseProfile, saveProfile, storeSetting } from "../../src/config/profiles.ts";
import { temporaryFolder } from "../support/folder.ts";
import { buildScript, runScript } from "../support/inline-script.ts";

const place = () => ({ folder: join(temporaryFolder(), "config"), platform: "linux" });
const stored = (folder: string) => JSON.parse(readFileSync(join(folder, "config.json"), "utf8"));

/** The lock leaves an empty file, and the name of the last that held it. */
const isNoLock = (name: string) => !name.startsWith(".settings.");

describe("config.json", () => {
  test("that is missing is no settings", () => {
    expect(readConfig(place().folder).config).toEqual({ profiles: {} });
  });

  test.each([
    ["{", "not valid JSON"],
    ["", "not valid JSON"],
    ["[]", "not a JSON object"],
    ['{"profiles": 1}', '"profiles" is not an object'],
    ['{"profiles": {"a": 1}}', 'the profile "a" is not an object'],
  ])("that is %j names the file and what is wrong", (text, message) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "config.json"), text);
    expect(() => readConfig(folder)).toThrow(`the settings in ${folder}/config.json are damaged: ${message}`);
    expect(() => readConfig(folder)).toThrow(expect.objectContaining({ exitCode: 3 }));
  });

  test("that is damaged is not overwritten", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "config.json"), "{");
    await expect(changeConfig(folder, (config) => ({ ...config, output: "json" }))).rejects.toThrow(
      "damaged",
    );
    expect(readFileSync(join(folder, "config.json"), "utf8")).toBe("{");
  });

  test("keeps what it does not know", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "config.json"), '{"later": [1], "profiles": {"a.b": {"x": {"y": 1}}}}');
    await changeConfig(folder, (config) => ({ ...config, output: "json" }));
    expect(stored(folder)).toEqual({ later: [1], profiles: { "a.b": { x: { y: 1 } } }, output: "json" });
  });

  test("leaves nothing beside it, and belongs to the owner alone", async () => {
    const { folder } = place();
    await changeConfig(folder, (config) => ({ ...config, output: "json" }));
    expect(readdirSync(folder).filter(isNoLock)).toEqual(["config.json"]);
    expect(statSync(join(folder, "config.json")).mode & 0o077).toBe(0);
  });

  test("loses no change of several processes at once", async () => {
    const { folder } = place();
    const script = await buildScript(`
      import { changeConfig } from "src/config/change-config.ts";
      import { changeCredential } from "src/config/credentials.ts";
      const [folder, name] = process.argv.slice(2);
      for (let n = 0; n < 10; n++) {
        await changeConfig(folder, (config) => ({ ...config, [name + n]: n }));
        await changeCredential(folder, "linux", name + n, { origin: "https://x.example", key: "k" + n });
      }
    `);
    const names = ["a", "b", "c", "d"];
    const ended = await Promise.all(names.map((name) => runScript(script, [folder, name])));
    expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual(names.map(() => [0, ""]));
    const { profiles, ...settings } = readConfig(folder).config;
    expect(Object.keys(settings)).toHaveLength(40);
    expect(profiles).toEqual({});
    expect(readCredentials(folder, "linux").keys.size).toBe(40);
    expect(readdirSync(folder).filter(isNoLock).sort()).toEqual(["config.json", "credentials.json"]);
  });

  test("loads nothing that writes or locks when it is only read", async () => {
    const script = await buildScript(`
      import { readConfig, resolveAccount, resolveSettings } from "src/config/index.ts";
      readConfig("/nowhere");
    `);
    expect(readFileSync(script, "utf8")).not.toMatch(/ajv|class Conf|graceful-fs|fsyncSync/);
  });
});

describe("a profile", () => {
  const work = { name: "work", baseUrl: "https://cards.example", codec: undefined, key: "k", id: "log1" };

  test("is saved with its key apart from it, and is the default from then on", async () => {
    const here = place();
    await saveProfile(here, { ...work, codec: "transit" });
    expect(stored(here.folder)).toEqual({
      profile: "work",
      profiles: { work: { id: "log1", "base-url": "https://cards.example", codec: "transit" } },
    });
    expect(readCredentials(here.folder, "linux").keys.get("work")).toEqual({
      origin: "https://cards.example",
      key: "k",
    });
    expect(readFileSync(join(here.folder, "config.json"), "utf8")).not.toContain('"k"');
  });

  test("that is saved again keeps its review log and its settings", async () => {
    const here = place();
    await saveProfile(here, work);
    await storeSetting(here, "deck", "Spanish", "work");
    await saveProfile(here, { ...work, id: "log2", baseUrl: "https://new.example" });
    expect(stored(here.folder).profiles.work).toEqual({
      id: "log1",
      "base-url": "https://new.example",
      deck: "Spanish",
    });
  });

  test.each(["local", "", "a b", "../x", "__proto__"])("can't be named %j", async (name) => {
    await expect(saveProfile(place(), { ...work, name })).rejects.toThrow(
      expect.objectContaining({ exitCode: 2 }),
    );
  });

  test("that does not exist can't be chosen", async () => {
    const here = place();
    await saveProfile(here, work);
    await chooseProfile(here, "local");
    expect(stored(here.folder).profile).toBe("local");
    await expect(chooseProfile(here, "wrok")).rejects.toThrow('no profile "wrok"; there are: local, work');
    expect(profileNames(readConfig(here.folder).config)).toEqual(["local", "work"]);
  });
});

describe("a setting that is stored", () => {
  test("is stored in the profile, or at the top where it is for all of them", async () => {
    const here = place();
    await storeSetting(here, "deck", " Languages/Spanish ", "local");
    await storeSetting(here, "timeout", "2m", "local");
    await storeSetting(here, "retries", "3", "local");
    await storeSetting(here, "allow-insecure", "true", "local");
    await storeSetting(here, "output", "ndjson", "local");
    expect(stored(here.folder)).toEqual({
      output: "ndjson",
      profiles: {
        local: { deck: "Languages/Spanish", timeout: "2m", retries: 3, "allow-insecure": true },
      },
    });
    await storeSetting(here, "timeout", undefined, "local");
    await storeSetting(here, "output", undefined, "local");
    expect(stored(here.folder)).toEqual({
      profiles: { local: { deck: "Languages/Spanish", retries: 3, "allow-insecure": true } },
    });
  });

  test("is checked first", async () => {
    const here = place();
    await expect(storeSetting(here, "retries", "x", "local")).rejects.toThrow(
      'retries must be a whole number from 0 to 100, not "x"',
    );
    await expect(storeSetting(here, "profile", "gone", "local")).rejects.toThrow("there is no profile");
    await expect(storeSetting(here, "base-url", "https://x.example", "local")).rejects.toThrow(
      "has no base URL",
    );
    expect(readdirSync(temporaryFolder())).toEqual([]);
  });
});
