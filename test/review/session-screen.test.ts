import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { program } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { moodyService } from "../support/moody-service.ts";
import { openPty } from "../support/pty.ts";
import { afterGuard, answer, makeCards, reviewHome } from "../support/review.ts";
import { runProcess } from "../support/run-process.ts";
import { waitFor } from "../support/wait-for.ts";

/** What a session shows beside its cards, on a real terminal. */

describe("a session on the screen", () => {
  it("says where grades lead and what undo took back, and asks first what was forgotten before", async () => {
    const home = reviewHome();
    await home.collection((client) => makeCards(client, ["Norway\n---\nOslo", "Chile\n---\nSantiago"]));
    const pty = home.review();
    await pty.until("Norway");
    pty.press(" ");
    await pty.until(/1 forgot → in this session {2}2 remembered → \d+ \w{3}.* \(2 days\)/);
    await answer(pty, true);
    await answer(pty, false);
    pty.press("u");
    await pty.until("Took back “forgot” of “Chile”.");
    await afterGuard();
    pty.press("1");
    await pty.until(/2 of 2[\s\S]*Chile[\s\S]*space reveal/);
    pty.press("q");
    await pty.ended;
    const glance = home.review();
    await glance.until(/1 of 1[\s\S]*Chile/);
    glance.press("q");
    await glance.ended;
    expect(glance.history().join("\n")).toContain("No cards were reviewed.");
    const next = home.review();
    await next.until(/1 of 1[\s\S]*Chile/);
    await answer(next, true);
    await next.until("Done for now");
    await next.until("1 card · 1 remembered (100 %)");
    await next.until(/Done for today.*\. 1 tomorrow\./);
    next.press("q");
    await next.ended;
    expect(
      (await home.collection((client) => client.cards.list({}))).docs.map((card) => card.reviews?.length),
    ).toEqual([1, 1]);
  });

  it("takes back at its start the last answers of the session before, one by one, and says when there is none", async () => {
    const home = reviewHome();
    await home.collection((client) =>
      makeCards(client, ["Norway\n---\nOslo", "Chile\n---\nSantiago", "Peru\n---\nLima"]),
    );
    const pty = home.review();
    await answer(pty, true);
    await answer(pty, false);
    pty.press("q");
    await pty.ended;
    const next = home.review();
    await next.until(/again · 1 of 2[\s\S]*Chile/);
    next.press("u");
    await next.until("Took back “forgot” of “Chile”.");
    await next.until(/new · 1 of 2[\s\S]*Chile/);
    next.press("u");
    await next.until("Took back “remembered” of “Norway”.");
    await next.until(/new · 1 of 3[\s\S]*Norway/);
    next.press("u");
    await next.until("There is no answer of today to take back.");
    await answer(next, true);
    next.press("q");
    await next.ended;
    const { docs } = await home.collection((client) => client.cards.list({}));
    expect(docs.map((card) => card.reviews?.length)).toEqual([1, 0, 0]);
  });

  it("shows the first of many cards after one page of what is due, and counts all once they are read", async () => {
    const home = reviewHome();
    const contents = Array.from({ length: 230 }, (_, i) => `[${i}] question\n---\nanswer`);
    await home.collection((client) => makeCards(client, contents));
    const pty = home.review(["--new", "all", "-o", "json"]);
    await pty.until("[0]");
    expect(pty.raw()).toContain("1 of 100+");
    await pty.until("1 of 230 ");
    await answer(pty, true);
    await pty.until(/2 of 230[\s\S]*\[1\]/);
    pty.press("q");
    await pty.ended;
    expect(pty.history().join("")).toMatch(/"cards": *1,[\s\S]*"left": *229,/);
  });

  it("keeps the question above its answer, and pages before it reveals or grades", async () => {
    const home = reviewHome();
    const lines = (name: string, count: number) =>
      Array.from({ length: count }, (_, i) => `${name} ${i}.`).join("\n\n");
    await home.collection((client) =>
      makeCards(client, [`${lines("question", 10)}\n---\n${lines("answer", 20)}`]),
    );
    const pty = home.review([], { rows: 24, columns: 80 });
    await pty.until("question 0.");
    await pty.until("space reveal");
    pty.press(" ");
    await pty.until("answer 0.");
    expect(pty.text()).toContain("question 9.");
    expect(pty.text()).toContain("space page down");
    expect(pty.text()).not.toContain("2 remembered");
    pty.press(" ");
    await pty.until("answer 10.");
    for (let i = 0; i < 4 && !pty.text().includes("2 remembered"); i++) {
      const before = pty.raw().length;
      pty.press(" ");
      await pty.until(() => pty.raw().length > before);
    }
    await pty.until("answer 19.");
    pty.press("q");
    await pty.ended;
    expect(home.log()).toBe("");
  });

  it("marks what was typed differently, and leaves the grade to the user", async () => {
    const home = reviewHome();
    await home.collection((client) => makeCards(client, ["Capital of Chile?\n---\nSantiago"]));
    const pty = home.review(["--type"], { env: { NO_COLOR: "1" } });
    await pty.until("Answer (Esc: keys):");
    pty.press("Santago\r");
    await pty.until(/you +Santago\n +card +Santiago/);
    await answer(pty, true);
    await pty.until("Done for now");
    pty.press("q");
    await pty.ended;
  });

  it("opens a hint of the question before the answer is shown", async () => {
    const home = reviewHome();
    const hint = "Norway?\n\n<details><summary>Hint</summary>\n\nIt begins with O.\n\n</details>";
    await home.collection((client) => makeCards(client, [`${hint}\n---\nOslo`, "Chile\n---\nSantiago"]));
    const pty = home.review();
    await pty.until(/▸ Hint[\s\S]*space reveal {2}h hint/);
    expect(pty.text()).not.toContain("It begins");
    pty.press("h");
    await pty.until("It begins with O.");
    expect(pty.text()).not.toContain("Oslo");
    expect(pty.screen().at(-1)).toMatch(/^space reveal {2}s skip/);
    pty.press("h");
    await pty.until("There is no hint to open.");
    // Undo brings the card back as it was; another one has its hints closed.
    pty.press("s");
    await pty.until("Chile");
    expect(pty.screen().at(-1)).not.toContain("hint");
    pty.press("s");
    await pty.until(/▸ Hint[\s\S]*h hint/);
    pty.press("q");
    await pty.ended;
    const plain = home.review(["--plain"]);
    await plain.until("Details, closed: Hint");
    await plain.until("Enter to reveal, h for a hint (? for all keys):");
    plain.press("h\r");
    await plain.until(/It begins with O\.\s+Enter to reveal \(\? for all keys\):/);
    plain.press("h\r");
    await plain.until("There is no hint to open.");
    plain.press("\r");
    await plain.until("Oslo");
    plain.press("q\r");
    await plain.ended;
    const typed = home.review(["--type"], { columns: 40, rows: 10 });
    await typed.until("Answer (Esc: keys):");
    typed.press("\u001b");
    await typed.until("h hint");
    typed.press("h");
    await typed.until(/It begins with O\.[\s\S]*Answer/);
    typed.press("Christiania, Oslo");
    await typed.until("Christiania, Oslo");
    typed.press("\u0003");
    await typed.ended;
  });

  it("opens a hint line by line where the answer is typed", async () => {
    const home = reviewHome();
    const hint = "Norway?\n\n<details><summary>Hint</summary>\n\nIt begins with O.\n\n</details>";
    await home.collection((client) => makeCards(client, [`${hint}\n---\nOslo`]));
    const plain = home.review(["--plain", "--type"]);
    await plain.until("Type the answer (Enter shows it, h opens the hint):");
    plain.press("h\r");
    await plain.until(/It begins with O\.[\s\S]*Type the answer \(Enter shows it\):/);
    plain.press("Oslo\r");
    await plain.until("Right");
    plain.press("\u0003");
    await plain.ended;
  });

  it("asks only the cards with a tag, or that a search finds", async () => {
    const home = reviewHome();
    await home.collection((client) =>
      makeCards(client, ["one #a", "two #b", { content: "three", "manual-tags": ["a"] }]),
    );
    for (const [args, found] of [
      [["--tag", "a"], /of 2/],
      [["--search", "two"], /of 1/],
    ] as const) {
      const pty = home.review(args);
      await pty.until(found);
      pty.press("q");
      await pty.ended;
    }
  });
});

describe("pictures, sounds and tables", () => {
  /** A home with one card that has a picture, a sound and a table, and one without. */
  async function rich() {
    const home = reviewHome();
    const folder = temporaryFolder();
    const picture = join(folder, "flag.png");
    const sound = join(folder, "anthem.mp3");
    const { default: sharp } = await import("sharp");
    await sharp({ create: { width: 40, height: 20, channels: 3, background: "#ba0c2f" } })
      .png()
      .toFile(picture);
    writeFileSync(sound, "ID3");
    const table = "| Peak | Height |\n|---|---|\n| Elbrus | 5642 |";
    const content = `flag ![flag](@media/flag.png)\n---\n![anthem](@media/anthem.mp3)\n\n${table}`;
    const [id = ""] = await home.collection((client) => makeCards(client, [content, "second\n---\nback"]));
    const added = await runProcess([program, "attach", "add", id, picture, sound], home.env);
    expect(added.code, added.stderr).toBe(0);
    return { ...home, folder };
  }

  it("are drawn in half blocks, and leave nothing behind on the next card", async () => {
    const { review } = await rich();
    const pty = review([], { env: { COLORTERM: "truecolor" } });
    await pty.until(/flag\n.*▀▀▀/);
    pty.press("s");
    await pty.until("second");
    expect(pty.text()).not.toContain("▀");
    pty.press("s");
    await pty.until("▀▀▀");
    pty.resize(60, 16);
    await pty.until(/1 of 2[\s\S]*▀▀▀[\s\S]*space/);
    pty.press("q");
    await pty.ended;
  });

  it("are drawn smaller once the answer is below them, so that the question stays visible", async () => {
    const { review, collection, folder, env } = await rich();
    const tall = join(folder, "tower.png");
    const { default: sharp } = await import("sharp");
    await sharp({ create: { width: 600, height: 900, channels: 3, background: "#ba0c2f" } })
      .png()
      .toFile(tall);
    const [id = ""] = await collection((client) =>
      makeCards(client, ["a tower ![tower](@media/tower.png)\n---\nOslo"], "Towers"),
    );
    expect((await runProcess([program, "attach", "add", id, tall], env)).code).toBe(0);
    const pty = review(["Towers"], { env: { COLORTERM: "truecolor" } });
    await pty.until(/a tower[\s\S]*▀▀▀/);
    const drawn = () => pty.screen().filter((line) => line.includes("▀")).length;
    const before = drawn();
    pty.press(" ");
    await pty.until(/a tower[\s\S]*▀▀▀[\s\S]*Oslo/);
    expect(drawn()).toBeLessThan(before);
    pty.press("q");
    await pty.ended;
  });

  it("are saved under a path that is shown whole, however narrow the screen", async () => {
    const { review, home } = await rich();
    const pty = review([], { columns: 40, rows: 10, env: { DISPLAY: "", WAYLAND_DISPLAY: "", BROWSER: "" } });
    await pty.until("[image: flag]");
    pty.press("o");
    await pty.until("flag.png");
    const path = /Saved as\s*(\/[\s\S]*flag\.png)$/.exec(pty.screen().join("").trimEnd())?.[1] ?? "";
    expect(path.startsWith(home)).toBe(true);
    expect(existsSync(path)).toBe(true);
    expect(pty.text()).toContain("[image: flag]");
    pty.press("j");
    await pty.until("space reveal");
    pty.press("q");
    await pty.ended;
  });

  it("are named as missing where the card does not have their file", async () => {
    const { review, collection, env } = await rich();
    await collection(async (client) => {
      const { docs } = await client.cards.list({});
      for (const { id, content } of docs)
        await client.cards.update(id, { content: `![map](@media/map.png)\n\n${content}` });
    });
    const pty = review([], { env: { COLORTERM: "truecolor" } });
    await pty.until(/\[image missing: map\][\s\S]*▀▀▀/);
    pty.press("q");
    await pty.ended;
    const plain = review(["--plain"]);
    await plain.until(/\[image missing: map\][\s\S]*\[image: flag\]/);
    plain.press("q\r");
    await plain.ended;
    const [{ id } = { id: "" }] = (await collection((client) => client.cards.list({}))).docs;
    const shown = openPty({ args: [program, "cards", "get", id], env });
    await shown.until(/\[image missing: map\][\s\S]*\[image: flag\]/);
    await shown.ended;
  });

  it("are played by the configured player, with the file as its last argument", async () => {
    const { review, env, folder } = await rich();
    const player = join(folder, "player.sh");
    const played = join(folder, "played");
    writeFileSync(player, `#!/bin/sh\nprintf '%s|' "$@" > ${played}\n`, { mode: 0o755 });
    await runProcess([program, "config", "set", "review.player", `${player} --quiet`], env);
    const pty = review();
    await pty.until("flag");
    pty.press("p");
    await pty.until("There is no sound on what is revealed.");
    pty.press(" ");
    await pty.until("Elbrus");
    pty.press("p");
    await waitFor(
      () => existsSync(played) && readFileSync(played, "utf8").includes("anthem.mp3"),
      "the player",
    );
    expect(readFileSync(played, "utf8")).toMatch(/^--quiet\|\/.*anthem\.mp3\|$/);
    pty.press("q");
    await pty.ended;
  });

  it("are read row by row in plain mode", async () => {
    const { review } = await rich();
    const pty = review(["--plain"]);
    await pty.until("flag");
    pty.press("\r");
    await pty.until(/Peak: Elbrus\s+Height: 5642/);
    await pty.until(/2 or Enter yes, then \d+ \w+ \(2 days\); 1 no, then in this\s+session:/);
    pty.press("q\r");
    await pty.ended;
  });
});

describe("an account that is known only from the environment", () => {
  it("has its log after a login, too", async () => {
    const home = reviewHome();
    const service = await moodyService({ documentedOnly: true });
    await service.collection((client) => makeCards(client, ["Norway\n---\nOslo", "Chile\n---\nSantiago"]));
    const env = { DECKHAND_BASE_URL: service.url, DECKHAND_API_KEY: service.key, DECKHAND_PROFILE: "" };
    const first = home.review([], { env });
    await first.until("Norway");
    await answer(first, true);
    first.press("q");
    await first.ended;
    const again = home.review([], { env });
    await again.until("Chile");
    again.press("q");
    await again.ended;
    const names = () => readdirSync(join(home.home, "data", "reviews"));
    expect(names()).toHaveLength(1);
    const before = names();

    const login = ["auth", "login", "--base-url", service.url, "--key-stdin", "--profile", "hosted"];
    const alone = { ...home.env, DECKHAND_PROFILE: "" };
    const { code, stderr } = await runProcess([program, ...login], alone, `${service.key}\n`);
    expect(code, stderr).toBe(0);
    const listed = await runProcess([program, "due", "log", "-o", "json"], {
      ...alone,
      DECKHAND_PROFILE: "hosted",
    });
    expect(JSON.parse(listed.stdout)).toHaveLength(1);
    expect(names()).toHaveLength(1);
    expect(names()).not.toEqual(before);
    // The environment alone finds it under the profile, too.
    const fromEnvironment = await runProcess([program, "due", "log", "-o", "json"], { ...home.env, ...env });
    expect(JSON.parse(fromEnvironment.stdout)).toHaveLength(1);
  });
});
