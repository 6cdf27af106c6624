import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Client } from "../../src/client/index.ts";
import { clockAhead } from "../support/clock-ahead.ts";
import { bin } from "../support/collection.ts";
import { moodyService } from "../support/moody-service.ts";
import { openPty, type Pty, type PtyOptions } from "../support/pty.ts";
import { afterGuard, makeCards, reviewHome } from "../support/review.ts";
import { runProcess } from "../support/run-process.ts";

/** The home screen as a user sees it, on real pseudo-terminals. */

const [up, down, right, left, esc] = ["\u001b[A", "\u001b[B", "\u001b[C", "\u001b[D", "\u001b"];
const [ctrlC, ctrlE, ctrlS] = ["\x03", "\x05", "\x13"];

/** A home folder, and `deckhand` alone in it. The row of the cursor is marked with > and <. */
function homeOf(more: Readonly<Record<string, string>> = {}) {
  const home = reviewHome();
  const env = { ...home.env, NO_COLOR: "1", DECKHAND_BACKUP_AUTOMATIC: "off", ...more };
  return {
    ...home,
    env,
    open(options: Partial<PtyOptions> = {}): Pty {
      const pty = openPty({ args: [bin], ...options, env: { ...env, ...options.env } });
      onTestFinished(() => pty.close());
      return pty;
    },
    run: (...args: string[]) => runProcess([bin, ...args], env),
  };
}

/** Geography with Capitals and Flags, and Words. */
async function fill(client: Client): Promise<void> {
  const root = await client.decks.create({ name: "Geography" });
  for (const [name, contents] of [
    ["Capitals", ["Capital of Norway?\n---\nOslo", "Capital of Chile?\n---\nSantiago #america"]],
    ["Flags", ["Flag of Peru?\n---\nred and white"]],
  ] as const) {
    const deck = await client.decks.create({ name, "parent-id": root.id });
    for (const content of contents) await client.cards.create({ content, "deck-id": deck.id });
  }
  await makeCards(client, ["house\n---\nhus", "tree\n---\ntre"], "Words");
}

const allCards = (client: Client) => client.cards.list({}).then(({ docs }) => docs);
const cardOf = async (client: Client, front: string) =>
  (await allCards(client)).find(({ content }) => content?.startsWith(front));

/** Presses, and waits for what that brings. */
async function press(
  pty: Pty,
  keys: string,
  shown: string | RegExp | ((text: string) => boolean),
): Promise<void> {
  pty.press(keys);
  await pty.until(shown);
}

async function leave(pty: Pty): Promise<void> {
  pty.press(ctrlC);
  expect((await pty.ended).code).toBe(0);
  expect(pty.alternate()).toBe(false);
}

for (const [columns, rows] of [
  [60, 18],
  [80, 24],
  [120, 30],
  [200, 50],
] as const)
  describe(`home on ${columns} columns`, () => {
    const size = { columns, rows };

    it("shows the decks, moves, folds, and makes and renames decks", async () => {
      const home = homeOf();
      await home.collection(fill);
      const pty = home.open(size);
      await pty.until(columns === 60 ? />▾ Geography +0 +3<\n/ : /▾ Geography +0 +3 +3/);
      expect(pty.text()).toMatch(/Today +0 due +5 new +0 done/);
      expect(/next 14 days/.test(pty.text())).toBe(columns >= 80);
      // Beside the tree the cards of the deck that come first.
      if (columns >= 120) await pty.until(/Next[\s\S]*Capital of Norway\? +new/);
      expect(pty.text()).toMatch(columns === 60 ? /Capitals +0 +2 *\n/ : /Capitals +0 +2 +2/);
      await press(pty, "j", />.*Capitals.*</);
      await press(pty, down, />.*Flags.*</);
      await press(pty, "kk", />.*Geography.*</);
      await press(pty, left, /▸ Geography/);
      expect(pty.text()).not.toContain("Capitals");
      await press(pty, right, "Capitals");
      await press(pty, "h", "▸ Geography");
      await press(pty, "l", "▾ Geography");
      await press(pty, "G", />.*Words.*</);
      await press(pty, up, />.*Flags.*</);
      await press(pty, "g", />.*Geography.*</);
      await press(pty, "n", /New deck.*:/);
      await press(pty, "Words/Nouns\r", /Made the deck Words\/Nouns[\s\S]*/);
      await pty.until(/>.*Nouns.*</);
      await press(pty, "u", "Took back: the new deck");
      await pty.until((text) => !/ Nouns /.test(text));
      await press(pty, "g", />.*Geography.*</);
      await press(pty, "e", "Name: Geography");
      await press(pty, "\x15Places\r", "Renamed to Places.");
      await pty.until("▾ Places");
      await press(pty, "u", /▾ Geography/);
      await press(pty, "?", "this deck and those under it");
      await press(pty, "G", "back to the decks");
      await press(pty, "x", "▾ Geography");
      await press(pty, "z", '"z" is no key here; ? lists them.');
      pty.press("q");
      expect((await pty.ended).code).toBe(0);
    });

    it("reviews a deck and all decks, and comes back with new figures", async () => {
      const home = homeOf();
      await home.collection(fill);
      const pty = home.open(size);
      await pty.until("Geography");
      await press(pty, "j\r", "1 of 2");
      for (const card of ["Oslo", "Santiago"]) {
        await pty.until("space reveal");
        await press(pty, " ", card);
        await afterGuard();
        pty.press("2");
      }
      await pty.until("Done for now");
      await press(pty, "q", /Today +0 due +3 new +2 done/);
      await pty.until(/>.*Capitals +0 +0/);
      await press(pty, "\r", "Nothing is due");
      await press(pty, "r", "1 of 3");
      await press(pty, "\x1b", /Today +0 due +3 new/);
      await leave(pty);
      const reviewed = (await home.collection(allCards)).filter((card) => (card.reviews ?? []).length > 0);
      expect(reviewed).toHaveLength(2);
    });

    it("adds card after card, and says when a card with this front exists", async () => {
      const home = homeOf({ EDITOR: "sed -i s/Bergen/Oslo/" });
      await home.collection(fill);
      const pty = home.open(size);
      await pty.until("Geography");
      await press(pty, "ja", /Add to Geography\/Capitals[\s\S]*Front[\s\S]*Back/);
      await press(pty, "Capital of Norway?\t", "A card with this front exists:");
      expect(pty.cursorShown()).toBe(true);
      await press(pty, `\t${"\x7f".repeat(7)}Finland?`, "Capital of Finland?");
      expect(pty.text()).not.toContain("exists");
      await press(pty, "\tBergen\rsecond line", /Bergen[\s\S]*second line/);
      await press(pty, ctrlE, /Oslo[\s\S]*second line/);
      await press(pty, ctrlS, "Added “Capital of Finland?”.");
      // A paste of several lines stays in its field.
      await press(pty, "\u001b[200~Q1\nQ2\u001b[201~", /Q1[\s\S]*Q2/);
      await press(pty, `\tA${ctrlS}`, "Added “Q1 Q2”.");
      await press(pty, esc, /Capitals +0 +4/);
      await press(pty, "u", "Took back: the card “Q1 Q2”");
      await pty.until(/Capitals +0 +3/);
      await leave(pty);
      const card = await home.collection((client) => cardOf(client, "Capital of Finland?"));
      expect(card?.content).toBe("Capital of Finland?\n---\nOslo\nsecond line");
    });

    it("searches as one types, shows the card, and changes one or many", async () => {
      const home = homeOf({ EDITOR: "sed -i s/Santiago/SANTIAGO/" });
      await home.collection(fill);
      const pty = home.open(size);
      await pty.until("Geography");
      await press(pty, "/", /Search[\s\S]*5 cards/);
      await press(pty, "capital", /\/ capital\n 2 cards/);
      // The card at the cursor, as it is reviewed.
      await pty.until(/Capital of Norway\?[\s\S]*Oslo/);
      await press(pty, " chi", /1 card\n[\s\S]*Santiago/);
      await press(pty, "\r", "space mark");
      await press(pty, "e", /The card was changed\.[\s\S]*|SANTIAGO/);
      await pty.until("SANTIAGO");
      await press(pty, "/", "enter to the cards");
      await press(pty, `${"\x7f".repeat(4)}`, /\/ capital\n 2 cards/);
      await press(pty, "\r", "space mark");
      await press(pty, "g", />.*Norway/);
      await press(pty, "  ", "2 marked");
      await press(pty, "t", "Tags:");
      await press(pty, "cities\r", "2 cards tagged cities; u takes it back.");
      await press(pty, "m", /Move to.*:/);
      await press(pty, "Wo\t", /Move to.*: Words/);
      await press(pty, "\r", "2 cards moved to Words");
      await press(pty, "u", "Took back: 2 cards moved to Words");
      await press(pty, "a", "2 cards archived");
      await press(pty, "u", "Took back: 2 cards archived");
      await press(pty, "x", "2 cards put in the trash");
      await pty.until("No card is found");
      await press(pty, esc, /Geography +0 +1/);
      await leave(pty);
      const [norway, chile] = await home.collection((client) =>
        Promise.all(["Capital of Norway", "Capital of Chile"].map((front) => cardOf(client, front))),
      );
      for (const card of [norway, chile]) {
        expect(card?.tags).toContain("cities");
        expect(card?.["trashed?"]).toEqual(expect.any(String));
        expect(card?.["archived?"]).not.toBe(true);
      }
      expect(chile?.content).toContain("SANTIAGO");
    });

    it("shows statistics in pages", async () => {
      const home = homeOf();
      await home.collection(async (client) => {
        await fill(client);
        const [card] = await allCards(client);
        await client.reviews.create(card?.id ?? "", { "remembered?": true });
      });
      const pty = home.open(size);
      await pty.until("Geography");
      await press(pty, "s", /Statistics[\s\S]*1 review today/);
      const first = pty.text();
      if (columns < 120) {
        pty.press(" ");
        await pty.until((text) => text !== first);
      }
      await press(pty, esc, "▾ Geography");
      await leave(pty);
    });
  });

describe("home in an empty collection", () => {
  it("offers a sample, an import and the first card", async () => {
    const home = homeOf();
    writeFileSync(join(home.home, "words.csv"), "front,back\nhouse,hus\ntree,tre\n");
    const pty = home.open({ cwd: home.home });
    await pty.until(/a {2}add the first card[\s\S]*i {2}import a file[\s\S]*d {2}try a review/);
    await press(pty, "d", "1 of");
    await press(pty, "q", "add the first card");
    await press(pty, "i", "File or folder to import");
    await press(pty, "wo\t", ": words.csv");
    await press(pty, "\r", /Imported 2 cards|2 cards|Deck/);
    await pty.until(/words|Deck/);
    if (!/Today/.test(pty.text())) pty.press("\r");
    await pty.until(/Today +0 due +2 new/);
    await leave(pty);
    const empty = homeOf();
    const other = empty.open();
    await other.until("add the first card");
    await press(other, "a", "Name of the first deck:");
    await press(other, "Norsk\r", "Add to Norsk");
    await press(other, `house\thus${ctrlS}`, "Added “house”.");
    await press(other, esc, /Norsk +0 +1 +1/);
    await leave(other);
  });

  it("gives the help where there is no screen", async () => {
    const home = homeOf();
    for (const env of [{ TERM: "dumb" }, { CI: "true" }, { INK_SCREEN_READER: "1" }]) {
      const pty = home.open({ env });
      await pty.until("Guides:");
      expect((await pty.ended).code).toBe(0);
    }
    const help = home.open({ args: [bin, "--help"] });
    await help.until("Guides:");
    expect(help.history().join("\n")).toContain("Usage: deckhand <command>");
    expect((await home.run()).stdout).toContain("Usage: deckhand <command>");
  });
});

describe("home beside other programs", () => {
  it("shows within seconds what another program changed, and keeps its place", async () => {
    const home = homeOf();
    await home.collection(fill);
    const pty = home.open();
    await press(pty, "", "Geography");
    await press(pty, "G", />.*Words +0 +2 +2/);
    await home.run("add", "cat", "katt", "--deck", "Words");
    await pty.until(/>.*Words +0 +3 +3/);
    await home.run("decks", "trash", "Words");
    await pty.until((text) => !text.includes("Words"));
    await pty.until(/>.*(Flags|Geography)/);
    await leave(pty);
  });

  it("says what went wrong in the status line, and the screen stays", async () => {
    const home = homeOf({ EDITOR: "nosuchedit" });
    await home.collection(fill);
    const pty = home.open();
    await pty.until("Geography");
    await press(pty, "/", "5 cards");
    await press(pty, "house\rm", "Move to deck");
    await press(pty, "Nowhere\r", /Nowhere.*was not found/);
    await pty.until("house");
    await press(pty, `/${"\x7f".repeat(5)}deck:Nowhere`, /Nowhere.*was not found/);
    await press(pty, esc, "▾ Geography");
    await press(pty, "i", "File or folder");
    await press(pty, "/no/such/file\r", /no such|does not exist|not found|\/no\/such\/file/i);
    await pty.until("▾ Geography");
    await press(pty, "/", "5 cards");
    await press(pty, "house\r", "space mark");
    await press(pty, "e", /nosuchedit.* ended with exit code 127/);
    expect(pty.text().match(/nosuchedit/g)).toHaveLength(1);
    await press(pty, esc, "▾ Geography");
    await leave(pty);
  });

  it("that is left open says in the morning what is due then", async () => {
    const home = homeOf();
    await home.collection(fill);
    const id = await home.collection(
      async (client) => (await cardOf(client, "Capital of Norway?"))?.id ?? "",
    );
    await home.run("due", "answer", id, "remembered");
    const clock = clockAhead(home.home);
    const pty = home.open({ columns: 80, rows: 24, env: clock.env });
    await pty.until(/Today +0 due +4 new +1 done/);
    clock.set(30);
    await pty.until(/Today +1 due +4 new +0 done/);
    await leave(pty);
  });

  it("wraps anew where the terminal is resized, and waits where that is too small", async () => {
    const home = homeOf();
    await home.collection(fill);
    const pty = home.open();
    await pty.until("Geography");
    for (const [columns, rows] of [
      [200, 50],
      [60, 18],
      [40, 10],
      [120, 30],
    ] as const) {
      pty.resize(columns, rows);
      const width = () => pty.screen()[0]?.length;
      // The day is at the right end of the first line.
      const keys = () => pty.screen().at(-1) ?? "";
      await pty.until(
        (text) => text.includes("Geography") && width() === columns && /^enter review.*q quit$/.test(keys()),
      );
    }
    pty.resize(30, 8);
    await pty.until("Too small");
    pty.resize(80, 24);
    await press(pty, "/", "Search");
    pty.resize(60, 18);
    await pty.until(/Search[\s\S]*5 cards/);
    await leave(pty);
  });

  it("leaves the collection whole where it is killed, and gives the terminal back at a signal", async () => {
    const home = homeOf();
    await home.collection(fill);
    for (const keys of [`/house\rxy`, `ja Q\tA${ctrlS}`, "n New\r"]) {
      const pty = home.open();
      await pty.until("Geography");
      pty.press(keys);
      pty.kill("SIGKILL");
      await pty.ended;
      expect((await home.run("check")).code).toBe(0);
    }
    const pty = home.open();
    await pty.until("Geography");
    pty.kill("SIGTERM");
    expect((await pty.ended).code).toBe(143);
    expect(pty.alternate()).toBe(false);
    expect(pty.cursorShown()).toBe(true);
  });

  it("ends at a signal during a review, with what was answered recorded", async () => {
    const home = homeOf();
    await home.collection(fill);
    const pty = home.open();
    await pty.until("Geography");
    await press(pty, "r", "space reveal");
    await press(pty, " ", "2 remembered");
    await afterGuard();
    await press(pty, "2", /2 of 5/);
    pty.kill("SIGTERM");
    expect((await pty.ended).code).toBe(143);
    expect(pty.alternate()).toBe(false);
    const again = home.open();
    await again.until(/Today +0 due +4 new +1 done/);
    await leave(again);
  });

  it("is suspended and goes on as other programs of a shell", async () => {
    const home = homeOf();
    await home.collection(fill);
    const pty = home.open({ command: "sh", args: ["-i"], env: { PS1: "$ " } });
    pty.press(`${process.execPath} ${bin}\r`);
    await pty.until("Geography");
    // What is typed before the shell is back at its prompt is lost with the terminal's mode.
    await press(pty, "\x1a", (text) => /Stopped[\s\S]*\n\$$/.test(text.trimEnd()));
    await press(pty, "fg\r", /Geography[\s\S]*enter review/);
    await press(pty, "?", "take back the last change");
    await press(pty, "x", "enter review");
    // The program has ended when the shell asks for the next one.
    await press(pty, "q", (text) => !pty.alternate() && text.trimEnd().endsWith("\n$"));
    pty.press("exit\r");
    await pty.ended;
  });
});

describe("home of an account over the network", () => {
  async function hosted(documentedOnly: boolean) {
    const service = await moodyService({ documentedOnly });
    await service.collection(fill);
    const env = { DECKHAND_BASE_URL: service.url, DECKHAND_API_KEY: service.key, DECKHAND_PROFILE: "" };
    return { service, home: homeOf(env) };
  }

  it("shows what it knew at once, marked with its age, and renews it while the service is slow", async () => {
    const { service, home } = await hosted(true);
    const first = home.open();
    await first.until(/▾ Geography +0 +3/);
    await leave(first);
    await service.collection((client) => makeCards(client, ["new"], "Added"));
    service.mood.delay = () => 400;
    const second = home.open();
    await second.until(/as of[\s\S]*▾ Geography +0 +3/);
    await press(second, "j", />.*Capitals/);
    await second.until((text) => !text.includes("as of"), 60_000);
    await leave(second);
  });

  it("names the decks of cards that were searched before the decks were read", async () => {
    const { service, home } = await hosted(false);
    service.mood.delay = () => (/cards/.test(service.requests().at(-1) ?? "") ? 0 : 100);
    const pty = home.open();
    await pty.until("Reading your decks");
    pty.press("/Norway");
    await pty.until(/1 card\n.*Norway.*Geography\/Capitals/);
    await leave(pty);
  });

  it.each([
    ["of ours", false],
    ["with the documented interface only", true],
  ])("stays where a service %s does not answer, and creates a card once", async (_, documentedOnly) => {
    const { service, home } = await hosted(documentedOnly);
    const pty = home.open({ env: { DECKHAND_RETRIES: "0" } });
    await pty.until(/▾ Geography +0 +3/);
    await press(pty, "ja", "Add to Geography/Capitals");
    service.mood.down = true;
    await press(pty, `Q\tA${ctrlS}`, /could not .* the (card|deck)/);
    expect(pty.text()).toMatch(/Q[\s\S]*A/);
    service.mood.down = false;
    // It is created, and that answer is lost: the same card again is no other.
    service.mood.loses = () => service.requests().at(-1)?.startsWith("POST") === true;
    const posts = () => service.requests().filter((each) => each.startsWith("POST")).length;
    const before = posts();
    pty.press(ctrlS);
    await pty.until((text) => posts() > before && /lost before the answer|Added “Q”/.test(text));
    service.mood.loses = () => false;
    if (!pty.text().includes("Added")) await press(pty, ctrlS, "Added “Q”.");
    await press(pty, esc, /Capitals +0 +3/);
    await leave(pty);
    expect(
      (await service.collection(allCards)).filter(({ content }) => content === "Q\n---\nA"),
    ).toHaveLength(1);
  });
});
