import { chmodSync, existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readConfig } from "../../src/config/config-file.ts";
import { readCredentials } from "../../src/config/credentials.ts";
import { folders, makeFolder } from "../../src/config/folders.ts";
import { temporaryFolder } from "../support/folder.ts";

describe("folders", () => {
  test("are the XDG ones on Linux", () => {
    expect(folders({}, "linux", "/home/ada")).toEqual({
      config: "/home/ada/.config/deckhand",
      data: "/home/ada/.local/share/deckhand",
      state: "/home/ada/.local/state/deckhand",
      cache: "/home/ada/.cache/deckhand",
    });
    const xdg = {
      XDG_CONFIG_HOME: "/x/config",
      XDG_DATA_HOME: "/x/data",
      XDG_STATE_HOME: "/x/state",
      XDG_CACHE_HOME: "/x/cache",
    };
    expect(folders(xdg, "linux", undefined)).toEqual({
      config: "/x/config/deckhand",
      data: "/x/data/deckhand",
      state: "/x/state/deckhand",
      cache: "/x/cache/deckhand",
    });
  });

  test("ignore an XDG folder that is empty or relative, as its specification says", () => {
    for (const XDG_CONFIG_HOME of ["", "here"])
      expect(folders({ XDG_CONFIG_HOME }, "linux", "/home/ada").config).toBe("/home/ada/.config/deckhand");
  });

  test("are below Library on macOS and AppData on Windows", () => {
    expect(folders({}, "darwin", "/Users/ada")).toEqual({
      config: "/Users/ada/Library/Preferences/deckhand",
      data: "/Users/ada/Library/Application Support/deckhand",
      state: "/Users/ada/Library/Application Support/deckhand/State",
      cache: "/Users/ada/Library/Caches/deckhand",
    });
    const windows = { APPDATA: "C:\\Users\\ada\\Roaming", LOCALAPPDATA: "C:\\Users\\ada\\Local" };
    expect(folders(windows, "win32", "C:\\Users\\ada")).toEqual({
      config: "C:\\Users\\ada\\Roaming\\deckhand\\Config",
      data: "C:\\Users\\ada\\Local\\deckhand\\Data",
      state: "C:\\Users\\ada\\Local\\deckhand\\State",
      cache: "C:\\Users\\ada\\Local\\deckhand\\Cache",
    });
    expect(folders({}, "win32", "C:\\Users\\ada").config).toBe(
      "C:\\Users\\ada\\AppData\\Roaming\\deckhand\\Config",
    );
  });

  test("are all below DECKHAND_HOME where it is set", () => {
    const env = { DECKHAND_HOME: "/tmp/portable", XDG_CONFIG_HOME: "/x" };
    expect(folders(env, "linux", "/home/ada")).toEqual({
      config: "/tmp/portable/config",
      data: "/tmp/portable/data",
      state: "/tmp/portable/state",
      cache: "/tmp/portable/cache",
    });
    expect(folders({ DECKHAND_HOME: "here" }, "linux", "/home/ada").data).toBe(
      join(process.cwd(), "here", "data"),
    );
  });

  test("without a home are read as empty, and refuse to be written with what to do", () => {
    for (const home of [undefined, ""]) {
      const { config, cache } = folders({}, "linux", home);
      expect(readConfig(config).config.profiles).toEqual({});
      expect(readCredentials(config, "linux").keys.size).toBe(0);
      expect(() => makeFolder(cache)).toThrow(
        expect.objectContaining({
          code: "not-configured",
          message: "there is no home folder to store anything in",
          hint: expect.stringContaining("DECKHAND_HOME"),
        }),
      );
    }
  });

  test("are created for the owner alone", () => {
    const folder = join(temporaryFolder(), "a", "b");
    makeFolder(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(existsSync(folder)).toBe(true);
  });

  test.runIf(process.platform === "linux")("fail at once in a folder that takes no new names", () => {
    expect(() => makeFolder("/proc/deckhand/config")).toThrow("could not write /proc/deckhand/config");
  });

  test("that cannot be created are reported with the reason", () => {
    const folder = temporaryFolder();
    const file = join(folder, "file");
    writeFileSync(file, "");
    expect(() => makeFolder(join(file, "below"))).toThrow(
      /could not write .*below: .*part of its path is a file/,
    );
    if (process.getuid?.() === 0) return;
    chmodSync(folder, 0o500);
    expect(() => makeFolder(join(folder, "below"))).toThrow(/permission denied/);
    chmodSync(folder, 0o700);
  });
});
