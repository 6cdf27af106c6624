import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { program } from "../support/cli.ts";
import { openPty } from "../support/pty.ts";
import { run, shell, surroundings } from "../support/surroundings.ts";

describe("the program", () => {
  const world = surroundings();

  describe("in a CI job", () => {
    test("refuses without an account, and writes nothing", () => {
      const own = world.folder(0o755);
      const { code, stdout, stderr } = run(["decks", "create", "X"], { env: { HOME: own, CI: "true" } });
      expect([code, stdout]).toEqual([3, ""]);
      expect(stderr).toBe(
        "deckhand: no account is configured\nSet DECKHAND_BASE_URL and DECKHAND_API_KEY, or DECKHAND_PROFILE=local for the local service.\n",
      );
      expect(readdirSync(own)).toEqual([]);
    });

    test("refuses with half an account", () => {
      const env = { HOME: world.folder(0o755), CI: "true", DECKHAND_API_KEY: world.served.key };
      const { code, stderr } = run(["decks", "list"], { env });
      expect(code).toBe(3);
      expect(stderr).toContain("no base URL");
      expect(stderr).not.toContain(world.served.key);
    });

    test("works with what the environment says, and says nothing else", () => {
      const env = { HOME: world.folder(0o755), CI: "true", ...world.hosted };
      const { code, stdout, stderr } = run(["decks", "list", "--columns", "name"], { env });
      expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "Füße\n", stderr: "" });
    });
  });

  describe("without a terminal", () => {
    test("asks nothing: deleting needs --yes", () => {
      const { code, stdout, stderr } = run(["decks", "delete", "Füße"], { env: world.local });
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toContain("--yes");
    });

    test("says what a review needs", () => {
      const { code, stderr } = run(["review"], { env: world.local });
      expect(code).toBe(2);
      expect(stderr).toMatch(/^deckhand: a review needs a terminal/);
    });

    test("does not wait for an editor", () => {
      const { code, stderr } = run(["cards", "create", "--deck", "Füße"], {
        env: { ...world.local, EDITOR: "false" },
      });
      expect(code).toBe(2);
      expect(stderr).toMatch(/^deckhand: .+\n/);
    });

    test("works with its standard input closed", () => {
      const listed = shell("$DECKHAND decks list --columns name <&-", world.local);
      expect(listed).toEqual({ code: 0, stdout: "Füße\n", stderr: "" });
      expect(shell("$DECKHAND cards archive - <&-", world.local)).toEqual({
        code: 0,
        stdout: "",
        stderr: "",
      });
    });

    test("ends with its exit code where both outputs are closed", () => {
      expect(
        shell("$DECKHAND decks list >&- 2>&-; echo $? > code; cat code", world.local, world.folder(0o777))
          .stdout,
      ).toBe("0\n");
      expect(
        shell(
          "$DECKHAND cards get nothing >&- 2>&-; echo $? > code; cat code",
          world.local,
          world.folder(0o777),
        ).stdout,
      ).toBe("4\n");
    });
  });

  describe("with a reader that goes away", () => {
    test.each(["tsv", "ndjson", "json", "csv", "id", "table"])("ends quietly with 0 (%s)", (format) => {
      const listing = `$DECKHAND cards list -o ${format} | head -1 > first; echo $PIPESTATUS`;
      const cwd = world.folder(0o777);
      expect(shell(`${listing}; test -s first && echo read`, world.local, cwd)).toEqual({
        code: 0,
        stdout: "0\nread\n",
        stderr: "",
      });
    });

    test("asks a service for no more pages than were read", () => {
      const script =
        "$DECKHAND cards list -o id -v 2> log | head -1 > first; echo $PIPESTATUS; grep -c GET log";
      const [code, requests] = shell(
        script,
        { ...world.hosted, HOME: world.home.home },
        world.folder(0o777),
      ).stdout.split("\n");
      expect(code).toBe("0");
      // 15 pages of 8 bytes a card would fit into the pipe, were it not closed long before.
      expect(Number(requests)).toBeLessThan(15);
    });

    test("stays quiet where only standard error has gone", () => {
      expect(shell("$DECKHAND cards get nothing 2> >(true)", world.local)).toMatchObject({
        code: 4,
        stdout: "",
      });
    });
  });

  describe("with another language", () => {
    test.each([{ LANG: "C" }, { LC_ALL: "C" }, { LANG: "C", LC_ALL: "POSIX" }])(
      "keeps the text of documents as it is (%o)",
      (language) => {
        const env = { ...world.local, ...language };
        expect(run(["decks", "list", "--columns", "name"], { env })).toEqual({
          code: 0,
          stdout: "Füße\n",
          stderr: "",
        });
        expect(run(["cards", "list", "--deck", "Füße", "--limit", "1", "-o", "id"], { env }).code).toBe(0);
      },
    );

    test("draws trees on a terminal of the C locale with ASCII alone", async () => {
      const env = { ...world.local, HOME: world.home.home, LANG: "C", LC_ALL: "C" };
      await world.home.ok(["decks", "create", "Below", "--parent", "Füße"]);
      const pty = openPty({ args: [program, "decks", "list", "--tree"], env });
      expect((await pty.ended).code).toBe(0);
      expect(pty.raw()).not.toMatch(/[\u2500-\u257f]/);
      expect(pty.text()).toContain("Below");
      pty.close();
    });
  });

  describe("with the colours that are asked for", () => {
    const csi = "\u001b[";
    const list = ["decks", "list", "-o", "table"];

    test("writes none into a pipe, unless FORCE_COLOR asks for them", () => {
      expect(run(list, { env: world.local }).stdout).not.toContain(csi);
      expect(run(list, { env: { ...world.local, FORCE_COLOR: "1" } }).stdout).toContain(csi);
      expect(
        run([...list, "--no-color"], { env: { ...world.local, FORCE_COLOR: "1" } }).stdout,
      ).not.toContain(csi);
      expect(run(list, { env: { ...world.local, FORCE_COLOR: "0" } }).stdout).not.toContain(csi);
    });

    test.each([
      [{}, true],
      [{ NO_COLOR: "1" }, false],
      [{ NO_COLOR: "" }, true],
      [{ TERM: "dumb" }, false],
    ])("on a terminal with %o: %s", async (settings, coloured) => {
      const pty = openPty({
        args: [program, ...list],
        env: { ...world.local, HOME: world.home.home, ...settings },
      });
      expect((await pty.ended).code).toBe(0);
      expect(/\u001b\[\d+m/.test(pty.raw())).toBe(coloured);
      expect(pty.text()).toContain("Füße");
      pty.close();
    });

    test("moves no cursor on a dumb terminal", async () => {
      const env = { ...world.hosted, HOME: world.home.home, TERM: "dumb" };
      const pty = openPty({ args: [program, "decks", "list", "--tree"], env });
      expect((await pty.ended).code).toBe(0);
      expect(pty.raw()).not.toContain("\u001b");
      pty.close();
    });
  });
});
