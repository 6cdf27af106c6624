import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { clockAhead } from "../support/clock-ahead.ts";
import { openPty } from "../support/pty.ts";
import {
  afterGuard,
  answer,
  bin,
  loggedReviews,
  makeCards,
  reviewHome,
  reviewsOf,
} from "../support/review.ts";
import { waitFor } from "../support/wait-for.ts";

const capitals = [
  "Capital of Norway?\n---\nOslo",
  "Capital of Chile?\n---\nSantiago",
  "Capital of Mali?\n---\nBamako",
];

/** A home with three cards. */
async function threeCards(contents: readonly string[] = capitals) {
  const home = reviewHome();
  const ids = await home.collection((client) => makeCards(client, contents));
  return { ...home, ids };
}

/** Whether a process has ended; one that nobody has waited for yet has. */
function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return true;
  }
  const status = `/proc/${pid}/status`;
  return existsSync(status) && /^State:\s+Z/m.test(readFileSync(status, "utf8"));
}

/** That the terminal is as it was: no alternate screen, a cursor, wrapping on. */
function expectGivenBack(pty: ReturnType<ReturnType<typeof reviewHome>["review"]>) {
  expect(pty.alternate()).toBe(false);
  expect(pty.cursorShown()).toBe(true);
  expect(pty.raw().lastIndexOf("\u001b[?7h")).toBeGreaterThan(pty.raw().lastIndexOf("\u001b[?7l"));
  expect(pty.raw().lastIndexOf("\u001b[?2004l")).toBeGreaterThan(pty.raw().lastIndexOf("\u001b[?2004h"));
}

describe("the review screen", () => {
  it("asks, reveals, grades and records, and ends with a summary", async () => {
    const { review, ids, collection } = await threeCards();
    const pty = review();
    await pty.until("Capital of Norway?");
    expect(pty.alternate()).toBe(true);
    expect(pty.screen()[0]).toMatch(/^Geography .*1 of 3/);
    expect(pty.text()).not.toContain("Oslo");
    expect(pty.screen().at(-1)).toMatch(/space reveal .*\? keys/);
    pty.press(" ");
    await pty.until("Oslo");
    await afterGuard();
    pty.press("2");
    await pty.until("2 of 3");
    expect(pty.screen()[0]).not.toContain("again");
    await answer(pty, false);
    expect(pty.screen()[0]).toContain("3 of 3, 1 again ");
    await answer(pty, true);
    expect(pty.text()).toContain("Capital of Chile?");
    expect(pty.screen()[0]).toContain("3 of 3, 1 again ");
    await answer(pty, true);
    await pty.until("Done for now");
    expect(pty.text()).toMatch(/3 cards · 2 remembered \(67 %\)/);
    pty.press("q");
    expect((await pty.ended).code).toBe(0);
    expectGivenBack(pty);
    expect(pty.text()).toMatch(/^3 cards · 2 remembered \(67 %\)/m);
    const recorded = await collection((client) => Promise.all(ids.map((id) => reviewsOf(client, id))));
    expect(recorded.map((reviews) => reviews.map(([, remembered]) => remembered))).toEqual([
      [true],
      [false],
      [true],
    ]);
  });

  it("shows how many cards come again on 40 columns", async () => {
    const { review } = await threeCards();
    const pty = review([], { columns: 40, rows: 10 });
    await pty.until("Norway");
    await answer(pty, false);
    expect(pty.screen()[0]).toMatch(/^Geography +new · 2 of 3, 1 again$/);
    pty.press("q");
    await pty.ended;
  });

  it("opens again and again from one home", async () => {
    const { review } = await threeCards();
    for (let i = 0; i < 3; i++) {
      const pty = review();
      await pty.until("Norway");
      pty.press("q");
      expect((await pty.ended).code).toBe(0);
    }
  });

  it("keeps a held key from grading, and a paste from doing anything", async () => {
    const { review, logPath } = await threeCards();
    const pty = review();
    await pty.until("Capital of Norway?");
    // The first of them reveals; how long the guard holds is told by the session's own tests, which need no clock.
    pty.press("\r".repeat(12));
    await pty.until("Oslo");
    expect(pty.screen()[0]).toContain("1 of 3");
    await afterGuard();
    pty.press("\u001b[200~2 2 2 1qaxy\r\u001b[201~");
    pty.press("?");
    await pty.until("any key");
    pty.press("\u001b");
    await pty.until("1 forgot");
    expect(pty.screen()[0]).toContain("1 of 3");
    pty.press("q");
    await pty.ended;
    expect(() => readFileSync(logPath())).toThrow(/ENOENT/);
  });

  it.each([
    ["moves no card to the trash", "xy"],
    ["archives no card", "a"],
    ["skips no card", "s"],
  ])("%s for what was typed before the first frame", async (_name, keys) => {
    const { review, ids, collection } = await threeCards();
    const pty = review();
    pty.press(keys);
    await pty.until("Capital of Norway?");
    expect(pty.screen()[0]).toContain("1 of 3");
    pty.press("q");
    expect((await pty.ended).code).toBe(0);
    // After the typed keys, where they came before the program told the terminal not to echo.
    expect([`${keys}No cards were reviewed.`, "No cards were reviewed."]).toContain(pty.text().trim());
    const cards = await collection((client) => Promise.all(ids.map((id) => client.cards.get(id))));
    expect(cards.map((card) => [card["trashed?"] ?? null, card["archived?"] ?? false])).toEqual(
      ids.map(() => [null, false]),
    );
  });

  it.each([[[]], [["--plain"]]])("ends on another day with the card that is asked %j", async (options) => {
    const { review, ids, collection, home } = await threeCards();
    const clock = clockAhead(home);
    const pty = review(options, { env: clock.env });
    const enter = options.length > 0 ? "\r" : "";
    await pty.until("Capital of Norway?");
    clock.set(1);
    pty.press("\r");
    await pty.until("Oslo");
    await afterGuard();
    pty.press(`2${enter}`);
    await pty.until("A new day has begun: review again for its cards.");
    pty.press("q");
    expect((await pty.ended).code).toBe(0);
    const reviews = await collection((client) => Promise.all(ids.map((id) => reviewsOf(client, id))));
    expect(reviews.map((each) => each.map(([, remembered]) => remembered))).toEqual([[true], [], []]);
  });

  it("ends on another day without a card that was forgotten the day before", async () => {
    const { review, ids, collection, home } = await threeCards(capitals.slice(0, 1));
    const clock = clockAhead(home);
    const pty = review([], { env: clock.env });
    await answer(pty, false);
    await pty.until("1 again");
    clock.set(1);
    pty.press(" ");
    await pty.until("Oslo");
    await afterGuard();
    pty.press("2");
    await pty.until("A new day has begun");
    pty.press("q");
    await pty.ended;
    const again = review([], { env: clock.env });
    await answer(again, true);
    await again.until("Done for now");
    again.press("q");
    await again.ended;
    const [reviews = []] = await collection((client) => Promise.all(ids.map((id) => reviewsOf(client, id))));
    expect(reviews.map(([, remembered]) => remembered)).toEqual([false, true]);
  });

  it("grades, archives and deletes no card that was not on the screen yet", async () => {
    const { review, ids, collection } = await threeCards();
    const pty = review();
    await pty.until("Capital of Norway?");
    // In one write: the second card is not drawn between them.
    pty.press("saxy");
    await pty.until("Capital of Chile?");
    expect(pty.text()).toContain("space reveal");
    pty.press("xy");
    await pty.until("Capital of Mali?");
    pty.press("q");
    expect((await pty.ended).code).toBe(0);
    const cards = await collection((client) => Promise.all(ids.map((id) => client.cards.get(id))));
    expect(cards.map((card) => card["archived?"] ?? false)).toEqual([false, false, false]);
    expect(cards.map((card) => (card["trashed?"] ?? null) !== null)).toEqual([false, true, false]);
  });

  it.each([
    ["q", "q", 0],
    ["Ctrl-C", "\u0003", 0],
  ])("gives the terminal back on %s and keeps what was graded", async (_name, key, code) => {
    const { review, ids, collection } = await threeCards();
    const pty = review();
    await pty.until("Norway");
    await answer(pty, true);
    await pty.until("Chile");
    pty.press(key);
    expect((await pty.ended).code).toBe(code);
    expectGivenBack(pty);
    expect(pty.text()).toMatch(/^1 card · 1 remembered[\s\S]*2 more today[ .]/m);
    expect(await collection((client) => reviewsOf(client, ids[0] ?? ""))).toHaveLength(1);
  });

  it.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
    ["SIGINT", 130],
  ])("gives the terminal back on %s, and the answer is in the log", async (signal, code) => {
    const { review, logPath } = await threeCards();
    const pty = review();
    await pty.until("Norway");
    await answer(pty, true);
    await pty.until("Chile");
    pty.kill(signal);
    expect((await pty.ended).code).toBe(code);
    expectGivenBack(pty);
    expect(loggedReviews(readFileSync(logPath(), "utf8"))).toHaveLength(1);
  });

  it("gives the terminal back when the program crashes", async () => {
    const { review, home } = await threeCards();
    const fault = join(home, "fault.cjs");
    writeFileSync(
      fault,
      'process.on("SIGUSR2", () => setImmediate(() => { throw new Error("out of cheese"); }));',
    );
    const pty = review([], { env: { NODE_OPTIONS: `--require ${fault}` } });
    await pty.until("Norway");
    pty.kill("SIGUSR2");
    expect((await pty.ended).code).not.toBe(0);
    expectGivenBack(pty);
    expect(pty.text()).toContain("out of cheese");
  });

  it("is suspended and continued by a shell", async () => {
    const { env } = await threeCards();
    const pty = openPty({ command: "bash", args: ["--norc", "-i"], env: { ...env, PS1: "shell> " } });
    try {
      await pty.until("shell>");
      pty.press(`${process.execPath} ${bin} review\r`);
      await pty.until("Capital of Norway?");
      pty.press("\u001a");
      await pty.until(/Stopped/);
      expect(pty.alternate()).toBe(false);
      expect(pty.cursorShown()).toBe(true);
      pty.press("echo still $((40+2))\r");
      await pty.until("still 42");
      // Of a new size only the shell is notified.
      pty.resize(60, 16);
      pty.press("fg\r");
      await pty.until((text) => text.includes("Capital of Norway?") && pty.alternate());
      await pty.until(() => /1 of 3 .* \d:\d\d$/.test(pty.screen()[0] ?? ""));
      pty.press(" ");
      await pty.until("Oslo");
      pty.press("q");
      await pty.until((text) => text.includes("No cards were reviewed") && !pty.alternate());
      // The shell takes it when the program has ended: until then it may write into its folder.
      pty.press("exit\r");
      await pty.ended;
    } finally {
      pty.close();
    }
  });

  it("is suspended and continued by a shell line by line, too", async () => {
    const { env } = await threeCards();
    const pty = openPty({ command: "bash", args: ["--norc", "-i"], env: { ...env, PS1: "shell> " } });
    try {
      await pty.until("shell>");
      pty.press(`${process.execPath} ${bin} review --plain\r`);
      await pty.until("Enter to reveal");
      pty.press("\u001a");
      await pty.until(/Stopped/);
      pty.press("fg\r");
      await pty.until((text) => text.split("Enter to reveal").length > 2);
      pty.press("\r");
      await pty.until("Did you remember?");
      pty.press("q\r");
      await pty.until("No cards were reviewed");
      // As above.
      pty.press("exit\r");
      await pty.ended;
    } finally {
      pty.close();
    }
  });

  it("does not freeze where there is no shell to continue it, and comes back after a stop from outside", async () => {
    const { review } = await threeCards();
    const pty = review();
    await pty.until("Norway");
    pty.press("\u001a");
    pty.press(" ");
    await pty.until("Oslo");
    expect(pty.alternate()).toBe(true);
    pty.kill("SIGSTOP");
    pty.kill("SIGCONT");
    const before = pty.raw().length;
    await pty.until(() => pty.raw().slice(before).includes("Norway"));
    pty.press("q");
    expect((await pty.ended).code).toBe(0);
    expectGivenBack(pty);
  });

  it("opens the editor on the terminal's own screen and shows the edited card anew", async () => {
    const { review, home, ids, collection } = await threeCards();
    const editor = join(home, "editor.sh");
    writeFileSync(
      editor,
      `#!/bin/sh
printf 'the editor has the terminal, press a key: '
stty raw -echo; head -c 1 > "${home}/key"; stty sane
sed 's/Oslo/Oslo, by the fjord/; s/Norway/the Kingdom of Norway/' "$1" > "$1.new" && mv "$1.new" "$1"
`,
    );
    chmodSync(editor, 0o755);
    const pty = review([], { env: { EDITOR: editor } });
    await pty.until("Norway");
    pty.press(" ");
    await pty.until("Oslo");
    pty.press("e");
    await pty.until("press a key");
    expectGivenBack(pty);
    // Keys that the session would understand go to the editor now.
    pty.press("q");
    await pty.until((text) => text.includes("Capital of the Kingdom of Norway?") && pty.alternate());
    expect(readFileSync(join(home, "key"), "utf8")).toBe("q");
    expect(pty.text()).not.toContain("Oslo");
    await answer(pty, true);
    pty.press("q");
    await pty.ended;
    const card = await collection((client) => client.cards.get(ids[0] ?? ""));
    expect(card.content).toContain("Oslo, by the fjord");
    expect(card.reviews).toHaveLength(1);
  });

  it("leaves Ctrl-C to the editor", async () => {
    const { review, home } = await threeCards();
    const editor = join(home, "editor.sh");
    writeFileSync(
      editor,
      "#!/bin/sh\ntrap 'echo caught it; exit 0' INT\necho ready; while :; do sleep 0.05; done\n",
    );
    chmodSync(editor, 0o755);
    const pty = review([], { env: { EDITOR: editor } });
    await pty.until("Norway");
    pty.press("e");
    await pty.until("ready");
    pty.press("\u0003");
    await pty.until((text) => text.includes("Norway") && pty.alternate());
    expect(pty.raw()).toContain("caught it");
    pty.press("q");
    expect((await pty.ended).code).toBe(0);
  });

  it("ends when its terminal is closed", async () => {
    const { review, log } = await threeCards();
    const pty = review();
    await pty.until("Norway");
    await answer(pty, true);
    await pty.until("Chile");
    pty.hangUp();
    await waitFor(() => isGone(pty.pid), "the end of the review");
    expect(loggedReviews(log())).toHaveLength(1);
  });

  it("stays in the session when the editor fails, and says where the text is", async () => {
    const { review } = await threeCards();
    const EDITOR = "sh -c 'echo more >> \"$1\"; exit 1' sh";
    const pty = review([], { env: { EDITOR }, columns: 200 });
    await pty.until("Norway");
    pty.press("e");
    await pty.until(/the editor .* ended with exit code 1/);
    pty.press(" ");
    await pty.until("Oslo");
    pty.press("q");
    await pty.ended;
    expect(pty.text()).toContain("The text is kept in");
  });

  it("archives, trashes after asking, tags and undoes all of it", async () => {
    const { review, ids, collection } = await threeCards();
    const flags = () =>
      collection(async (client) => {
        const cards = await Promise.all(ids.map((id) => client.cards.get(id)));
        return cards.map((card) => [
          card["archived?"] === true,
          card["trashed?"] != null,
          [...(card.tags ?? [])],
        ]);
      });
    const pty = review();
    await pty.until("Norway");
    pty.press("t");
    await pty.until("Tags");
    expect(pty.cursorShown()).toBe(true);
    pty.press("nordic #capital\r");
    await pty.until("space reveal");
    pty.press("a");
    await pty.until("Chile");
    pty.press("x");
    await pty.until("trash this card");
    pty.press("n");
    await pty.until("space reveal");
    pty.press("x");
    await pty.until("trash this card");
    pty.press("y");
    await pty.until("Mali");
    await answer(pty, true);
    await pty.until("Done for now");
    expect(await flags()).toEqual([
      [true, false, ["nordic", "capital"]],
      [false, true, []],
      [false, false, []],
    ]);
    for (const [key, shown] of [
      ["u", "Bamako"],
      ["u", "Chile"],
      ["u", "Norway"],
    ] as const) {
      pty.press(key);
      await pty.until(shown);
    }
    pty.press("u");
    await pty.until((text) => !text.includes("u undo"));
    pty.press("q");
    await pty.ended;
    expect(await flags()).toEqual([
      [false, false, []],
      [false, false, []],
      [false, false, []],
    ]);
    expect(await collection((client) => reviewsOf(client, ids[2] ?? ""))).toEqual([]);
  });

  it("draws on the terminal and prints the summary as JSON on a pipe", async () => {
    const { env, home } = await threeCards();
    const out = join(home, "out.json");
    const pty = openPty({
      command: "sh",
      args: ["-c", `${process.execPath} ${bin} review -o json | cat > ${out}`],
      env,
    });
    try {
      await pty.until("Norway");
      await answer(pty, false);
      pty.resize(70, 20);
      await pty.until(() => pty.screen().length === 20 && /q quit$/.test(pty.screen().at(-1) ?? ""));
      pty.press("q");
      expect((await pty.ended).code).toBe(0);
      expectGivenBack(pty);
      expect(JSON.parse(readFileSync(out, "utf8"))).toMatchObject({
        cards: 1,
        forgotten: 1,
        left: 3,
        recorded: "service",
      });
    } finally {
      pty.close();
    }
  });

  it("wraps anew when the size changes, and waits where there is no room", async () => {
    const long = `${"many words that have to be wrapped ".repeat(8)}end`;
    const { review, log } = await threeCards([long]);
    const pty = review([], { columns: 100, rows: 30 });
    await pty.until("end");
    const wide = pty.screen().filter((row) => row.includes("words")).length;
    pty.resize(50, 30);
    await pty.until(() => pty.screen().filter((row) => row.includes("words")).length > wide);
    pty.resize(39, 30);
    await pty.until("Too small: 39x30. Needs 40x10.");
    pty.resize(40, 9);
    await pty.until("Too small: 40x9.");
    // Keys are for what can be seen; the card has one side, so the next of them would grade it.
    await afterGuard();
    pty.press(" 2\r");
    pty.press("\f");
    pty.resize(40, 10);
    await pty.until("1 of 1");
    expect(log()).toBe("");
    expect(pty.screen().every((row) => [...row].length <= 40)).toBe(true);
    pty.press("q");
    expect((await pty.ended).code).toBe(0);
  });

  it("scrolls a long card by lines, pages and to its ends", async () => {
    const lines = Array.from({ length: 60 }, (_, i) => `row ${i + 1}.`).join("\n\n");
    const { review } = await threeCards([`${lines}\n---\nthe answer`]);
    const pty = review();
    await pty.until("row 1.");
    expect(pty.screen().at(-1)).toMatch(/↓ \d+ more/);
    pty.press("G");
    await pty.until("row 60.");
    pty.press("g");
    await pty.until("row 1.");
    pty.press("\u001b[6~");
    await pty.until((text) => !text.includes("row 1."));
    pty.press("k");
    pty.press("\u001b[A");
    pty.press("\u001b[5~");
    await pty.until("row 1.");
    pty.press(" ");
    // What was revealed is to be seen.
    await pty.until("the answer");
    pty.press("q");
    await pty.ended;
  });

  it("shows help and details, and goes back to the card", async () => {
    const { review } = await threeCards();
    const pty = review();
    await pty.until("Norway");
    pty.press("?");
    await pty.until("undo the last grade");
    pty.press("\u001b");
    await pty.until("Norway");
    pty.press("i");
    await pty.until(/Deck\s+Geography/);
    expect(pty.text()).toMatch(/Reviews\s+none yet/);
    pty.press(" ");
    await pty.until("Norway");
    expect(pty.screen().at(-1)).toContain("space reveal");
    pty.press("q");
    await pty.ended;
  });

  it("opens a link of the card, asking which", async () => {
    const { review, home } = await threeCards([
      "[one](https://example.org/1) and [two](https://example.org/2)",
    ]);
    const opener = join(home, "xdg-open");
    writeFileSync(opener, `#!/bin/sh\nprintf '%s' "$1" > "${home}/opened"\n`);
    chmodSync(opener, 0o755);
    const pty = review([], { env: { PATH: `${home}:${process.env["PATH"]}`, DISPLAY: ":9" } });
    await pty.until("one");
    pty.press("o");
    await pty.until(/2\s+two\s+https:\/\/example.org\/2/);
    pty.press("2");
    await pty.until("Opened https://example.org/2");
    await pty.until(() => {
      try {
        return readFileSync(join(home, "opened"), "utf8") === "https://example.org/2";
      } catch {
        return false;
      }
    });
    pty.press("q");
    await pty.ended;
  });

  it("scrolls the links where there are more than fit, and says how many", async () => {
    const links = Array.from({ length: 30 }, (_, i) => `[link${i + 1}.](https://example.org/${i + 1})`);
    const { review } = await threeCards([`${links.join(" ")}\n---\nback`]);
    const pty = review();
    await pty.until("link1.");
    pty.press("o");
    await pty.until(/^ +1 +link1\./m);
    expect(pty.screen().at(-1)).toMatch(/esc back to the card +↓ 11 more$/);
    expect(pty.text()).not.toContain("link30.");
    pty.press("\u001b[F");
    await pty.until("link30.");
    expect(pty.screen().at(-1)).toMatch(/↑ more$/);
    pty.press("\u001b[A");
    await pty.until(/↓ 1 more$/m);
    pty.press("v");
    await pty.until(/^https:\/\/example\.org\/30$/m);
    pty.press("q");
    await pty.ended;
  });

  it("shows a card in another one that embeds it", async () => {
    const { collection, review } = reviewHome();
    await collection(async (client) => {
      const [inner = ""] = await makeCards(client, ["What is Oslo?\n---\nA capital on a fjord"], "Elsewhere");
      await makeCards(client, [`Where?\n\n![[${inner}/2]]`], "Asked");
    });
    const pty = review(["--deck", "Asked"]);
    await pty.until(/│ A capital on a fjord/);
    expect(pty.text()).toContain("[card: What is Oslo?, side 2]");
    pty.press("q");
    expect((await pty.ended).code).toBe(0);
  });

  it("uses no colour where NO_COLOR is set", async () => {
    const { review } = await threeCards();
    const pty = review([], { env: { NO_COLOR: "1" } });
    await pty.until("Norway");
    pty.press(" ");
    await pty.until("Oslo");
    pty.press("q");
    await pty.ended;
    const styles = [...pty.raw().matchAll(/\u001b\[([\d;]*)m/g)].map(([, codes]) => codes);
    expect(styles.every((codes) => codes === "0")).toBe(true);
  });

  it("starts with keys pressed before it was there, and never shows them", async () => {
    const { review } = await threeCards();
    const pty = review();
    pty.press("jj");
    await pty.until("Norway");
    expect(pty.text()).not.toContain("jj");
    pty.press("q");
    await pty.ended;
    expect(pty.text()).not.toMatch(/\^\[|;rR/);
  });
});
