import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isRoot, other, reached, run, shell, surroundings } from "../support/surroundings.ts";

describe("the program", () => {
  const world = surroundings();

  describe.skipIf(!reached)("with a home folder that cannot be written", () => {
    const stillWorks = [
      ["--help"],
      ["help", "output"],
      ["config", "path"],
      ["config", "list"],
      ["completion", "bash"],
    ];
    test.each(stillWorks)("does what keeps nothing: %s %s", (...args) => {
      const { code, stderr } = run(args.filter(Boolean), { ...other, env: { HOME: world.folder(0o555) } });
      expect([code, stderr]).toEqual([0, ""]);
    });

    test("works with an account of the environment", () => {
      const env = { HOME: world.folder(0o555), ...world.hosted };
      const { code, stdout, stderr } = run(["cards", "list", "--limit", "120", "-o", "id"], {
        ...other,
        env,
      });
      expect([code, stdout.split("\n").length, stderr]).toEqual([
        0,
        121,
        expect.not.stringContaining("EACCES"),
      ]);
    });

    test("says in one line why a collection cannot be opened, and in one what to do", () => {
      const own = world.folder(0o555);
      const { code, stdout, stderr } = run(["due"], {
        ...other,
        env: { HOME: own, DECKHAND_PROFILE: "local" },
      });
      expect([code, stdout]).toEqual([3, ""]);
      expect(stderr).toBe(
        `deckhand: cannot open the collection in ${own}/.local/share/deckhand/service/store.sqlite: permission denied\nSet DECKHAND_HOME to a folder that can be written.\n`,
      );
    });

    test("says why a setting cannot be saved", () => {
      const own = world.folder(0o555);
      const { code, stderr } = run(["config", "set", "codec", "json"], { ...other, env: { HOME: own } });
      expect(code).toBe(3);
      expect(stderr).toBe(
        `deckhand: could not write ${own}/.config/deckhand: permission denied\nSet DECKHAND_HOME to a folder that can be written.\n`,
      );
    });

    test("keeps nothing of a login, and says so", () => {
      const args = ["auth", "login", "--profile", "work", "--base-url", world.served.url, "--key-stdin"];
      const { code, stderr } = run(args, {
        ...other,
        env: { HOME: world.folder(0o555) },
        input: world.served.key,
      });
      expect(code).toBe(3);
      expect(stderr).toMatch(/^deckhand: could not write .+: permission denied\n/);
    });

    test("is what doctor tells", () => {
      const { code, stdout, stderr } = run(["doctor", "-o", "json"], {
        ...other,
        env: { HOME: world.folder(0o555), ...world.hosted },
      });
      expect(code).toBe(1);
      const findings = JSON.parse(stdout) as { check: string; "ok?": boolean }[];
      const failed = findings.filter((each) => !each["ok?"]);
      expect(failed.map(({ check }) => check)).toEqual([
        "config folder",
        "data folder",
        "state folder",
        "cache folder",
      ]);
      expect(stderr).not.toContain("a fault in deckhand");
    });
  });

  describe.skipIf(!isRoot || !reached)("without a home", () => {
    /** A user that the machine does not know: there is no home folder to be looked up. */
    const stranger = { uid: 54_321, gid: 54_321 };

    test("uses an account of the environment, in either codec", () => {
      for (const codec of ["json", "transit"]) {
        const args = ["decks", "list", "--columns", "name", "--codec", codec];
        const { code, stdout, stderr } = run(args, { ...stranger, env: world.hosted });
        expect([code, stdout.split("\n")[0], stderr]).toEqual([0, expect.any(String), expect.any(String)]);
        expect(stdout).toContain("Füße\n");
        expect(stderr.split("\n").length).toBeLessThanOrEqual(3);
      }
    });

    test("refuses the local service in one line", () => {
      const { code, stdout, stderr } = run(["decks", "list"], stranger);
      expect([code, stdout]).toEqual([3, ""]);
      expect(stderr).toBe(
        "deckhand: there is no home folder to store anything in\nSet DECKHAND_HOME to a folder that can be written.\n",
      );
    });

    test("finds the fault with doctor", () => {
      const { code, stdout, stderr } = run(["doctor"], stranger);
      expect(code).toBe(1);
      expect(stdout).toContain("config folder\tfalse\tthere is no home folder; set DECKHAND_HOME\n");
      expect(stderr).not.toContain("a fault in deckhand");
    });

    test("keeps a collection in DECKHAND_HOME", () => {
      const env = { DECKHAND_HOME: world.folder(0o700, stranger), DECKHAND_PROFILE: "local" };
      expect(run(["decks", "create", "Kept"], { ...stranger, env }).code).toBe(0);
      expect(run(["decks", "list", "--columns", "name"], { ...stranger, env }).stdout).toBe("Kept\n");
    });

    test("works in a container whose HOME does not exist", () => {
      const env = { HOME: "/nonexistent", ...world.hosted };
      const { code, stdout } = run(["decks", "list", "--columns", "name"], { ...other, env });
      expect([code, stdout]).toEqual([0, expect.stringContaining("Füße\n")]);
      expect(existsSync("/nonexistent")).toBe(false);
      const refused = run(["decks", "list"], {
        ...other,
        env: { HOME: "/nonexistent", DECKHAND_PROFILE: "local" },
      });
      expect(refused.code).toBe(3);
      expect(refused.stderr).toMatch(/^deckhand: cannot open the collection in .+\nSet DECKHAND_HOME .+\n$/);
    });
  });

  describe.skipIf(!isRoot || !reached)("as another user with somebody's home folder (sudo -u)", () => {
    test("takes everything from the environment where that is complete", () => {
      const env = { HOME: world.somebodys, ...world.hosted };
      const { code, stdout } = run(["decks", "list", "--columns", "name"], { ...other, env });
      expect([code, stdout]).toEqual([0, expect.stringContaining("Füße\n")]);
    });

    test("refuses in one line where settings that it cannot read would say more", () => {
      const { code, stdout, stderr } = run(["decks", "list"], { ...other, env: { HOME: world.somebodys } });
      expect([code, stdout]).toEqual([3, ""]);
      expect(stderr).toBe(
        `deckhand: could not read ${world.somebodys}/.config/deckhand/config.json: permission denied\nSet DECKHAND_BASE_URL and DECKHAND_API_KEY, or DECKHAND_HOME to a folder of your own.\n`,
      );
    });

    test("warns that the settings listed are not all", () => {
      const { code, stderr } = run(["config", "list"], { ...other, env: { HOME: world.somebodys } });
      expect(code).toBe(0);
      expect(stderr).toMatch(/^deckhand: warning: could not read .+\/config.json: permission denied\n$/);
    });

    test("finds the fault with doctor", () => {
      const { code, stdout, stderr } = run(["doctor"], { ...other, env: { HOME: world.somebodys } });
      expect(code).toBe(1);
      expect(stdout).toMatch(/^settings\tfalse\tcould not read .+: permission denied$/m);
      expect(stderr).not.toContain("a fault in deckhand");
    });

    test("leaves the folder as it was", () => {
      // Node may keep compiled code there (bin/deckhand.js).
      expect(readdirSync(world.somebodys).filter((name) => name !== ".cache")).toEqual([".config"]);
    });
  });

  test("keeps nothing below a folder that is gone", () => {
    const script =
      "mkdir gone; cd gone; rmdir ../gone; DECKHAND_HOME=kept $DECKHAND decks list; echo $?; DECKHAND_HOME=kept $DECKHAND config list > /dev/null; echo $?";
    const { stdout, stderr } = shell(script, { DECKHAND_PROFILE: "local" }, world.folder(0o777));
    expect(stdout).toBe("3\n0\n");
    expect(stderr).toBe(
      "deckhand: there is no home folder to store anything in\nSet DECKHAND_HOME to a folder that can be written.\n",
    );
  });

  test("says that a folder is gone, where a path is taken from it", () => {
    const verbs = ["export x.ndjson", "import x.csv", "serve --port 0 --data x"];
    const script = `mkdir gone; cd gone; rmdir ../gone; ${verbs.map((verb) => `$DECKHAND ${verb}; echo $?`).join("; ")}`;
    const env = { DECKHAND_PROFILE: "local", DECKHAND_HOME: world.folder(0o777) };
    const { stdout, stderr } = shell(script, env, world.folder(0o777));
    expect(stdout).toBe("2\n2\n2\n");
    const told = "deckhand: the current folder was deleted\nChange to another folder.\n";
    expect(stderr).toBe(told.repeat(3));
  });

  test("takes a relative DECKHAND_HOME from the folder that it runs in", () => {
    const cwd = world.folder(0o755, {});
    mkdirSync(join(cwd, "below"));
    const env = { DECKHAND_HOME: "kept", DECKHAND_PROFILE: "local" };
    expect(run(["decks", "create", "Here"], { cwd, env }).code).toBe(0);
    expect(run(["config", "path"], { cwd, env }).stdout).toBe(`${cwd}/kept/config/config.json\n`);
    expect(
      run(["decks", "list", "--columns", "name"], {
        cwd: join(cwd, "below"),
        env: { ...env, DECKHAND_HOME: "../kept" },
      }).stdout,
    ).toBe("Here\n");
  });
});
