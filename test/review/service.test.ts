import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { program } from "../support/cli.ts";
import { moodyService } from "../support/moody-service.ts";
import { answer, loggedReviews, makeCards, reviewHome, reviewsOf } from "../support/review.ts";
import { runProcess } from "../support/run-process.ts";
import { waitFor } from "../support/wait-for.ts";
import { deckhand } from "../support/world.ts";

const capitals = ["Norway\n---\nOslo", "Chile\n---\nSantiago", "Mali\n---\nBamako", "Peru\n---\nLima"];

/** A home whose account is on a service that may change its mood. */
async function hosted(mood: Parameters<typeof moodyService>[0] = {}, contents: readonly string[] = capitals) {
  const home = reviewHome();
  const service = await moodyService(mood);
  const ids = await service.collection((client) => makeCards(client, contents));
  const env = { DECKHAND_BASE_URL: service.url, DECKHAND_API_KEY: service.key, DECKHAND_PROFILE: "" };
  return {
    ...home,
    service,
    ids,
    env: { ...home.env, ...env },
    review: (args: readonly string[] = [], options: Parameters<typeof home.review>[1] = {}) =>
      home.review(args, { ...options, env: { ...env, ...options.env } }),
    run: async (...args: string[]) => (await deckhand(env, home.home)).run(args),
    recorded: () => service.collection((client) => Promise.all(ids.map((id) => reviewsOf(client, id)))),
  };
}

describe("a review on a service that is slow", () => {
  it("asks nothing about a card that is still being fetched", async () => {
    const { review, service, ids } = await hosted();
    service.mood.delay = () => 300;
    const pty = review();
    await pty.until("Fetching the card…");
    pty.press("x");
    pty.press("?");
    await pty.until("any key");
    expect(pty.text()).not.toContain("trash this card");
    pty.press("?");
    await pty.until("space reveal");
    expect(pty.screen()[0]).toContain(`1 of ${ids.length}`);
    pty.press("x");
    await pty.until("trash this card");
    pty.press("n");
    await pty.until("space reveal");
    pty.press("q");
    expect((await pty.ended).code).toBe(0);
  });
});

describe("a review on a service that becomes unavailable", () => {
  it("goes on, says that answers are kept, and they arrive with the next session", async () => {
    const { review, service, recorded, log } = await hosted();
    const pty = review();
    await pty.until("Norway");
    await answer(pty, true);
    await pty.until("Chile");
    await pty.until(() => log().includes('"sent"'));
    // The next two cards are there before the service goes.
    await pty.until(() => service.requests().filter((line) => /GET \/cards\//.test(line)).length >= 3);
    service.mood.down = true;
    await answer(pty, true);
    await pty.until("Mali");
    await pty.until(/The service does not answer: 1 answer is kept/, 60_000);
    // What is said for a moment is not cut for it.
    pty.press("o");
    await pty.until("There is nothing to open on what is revealed.");
    await pty.until(/The service does not answer: 1 answer is kept/);
    await answer(pty, false);
    // The last one comes as the due query told of it.
    await pty.until("Peru", 60_000);
    await answer(pty, true);
    await answer(pty, true);
    await pty.until("Done for now");
    expect(pty.text()).toMatch(/3 answers wait for the service;.*\s+.*sends them\./);
    pty.press("q");
    expect((await pty.ended).code).toBe(0);
    expect(pty.text()).toContain("deckhand due sync");
    expect((await recorded()).map((reviews) => reviews.length)).toEqual([1, 0, 0, 0]);
    expect(loggedReviews(log())).toHaveLength(4);

    service.mood.down = false;
    const next = review();
    expect((await next.ended).code).toBe(0);
    expect(next.text()).toContain("Nothing is due");
    expect((await recorded()).map((reviews) => reviews.map(([, remembered]) => remembered))).toEqual([
      [true],
      [true],
      [false],
      [true],
    ]);
  }, 120_000);

  it("sends what is kept with due sync, each review once, and says what is left and why", async () => {
    const { review, service, run, recorded } = await hosted();
    const pty = review();
    await pty.until("Norway");
    await pty.until(() => service.requests().filter((line) => /GET \/cards\//.test(line)).length >= 3);
    service.mood.down = true;
    await answer(pty, true);
    await answer(pty, true);
    await pty.until("Mali");
    pty.press("q");
    await pty.ended;
    const failed = await run("due", "sync", "--retries", "0");
    expect(failed).toMatchObject({ code: 8, stdout: "" });
    expect(failed.stderr).toMatch(/2 answers stay unsent/);
    service.mood.down = false;
    const sent = await run("due", "sync", "-o", "json");
    expect(JSON.parse(sent.stdout)).toMatchObject([{ status: "sent" }, { status: "sent" }]);
    expect((await recorded()).map((reviews) => reviews.length)).toEqual([1, 1, 0, 0]);
    expect(await run("due", "sync")).toMatchObject({ code: 0, stdout: "" });
    expect((await run("due", "log", "-o", "tsv")).stdout.match(/sent/g)).toHaveLength(2);
  }, 120_000);

  it("goes on with the others where the service fails at a review, and keeps that one", async () => {
    const { review, service, run, ids, recorded, log } = await hosted();
    service.mood.fails = (url) => url.includes(`/cards/${ids[0]}/reviews`);
    const pty = review();
    for (const capital of ["Norway", "Chile", "Mali"]) {
      await pty.until(capital);
      await answer(pty, true);
    }
    await pty.until("Peru");
    await pty.until("The service failed: 1 answer is kept");
    await waitFor(() => log().match(/"sent"/g)?.length === 2, "the reviews of the other cards");
    pty.press("q");
    await pty.ended;
    expect(pty.text()).toContain("1 answer waits for the service");
    const failed = await run("due", "sync", "--retries", "0");
    expect(failed.code).toBe(7);
    expect(failed.stderr).toMatch(/1 answer stays unsent: could not record the review: no/);
    service.mood.fails = () => false;
    expect(await run("due", "sync")).toMatchObject({ code: 0 });
    expect((await recorded()).map((reviews) => reviews.length)).toEqual([1, 1, 1, 0]);
  }, 120_000);

  it("reports a review that the service refuses, and continues with the others", async () => {
    const { review, service, run, ids } = await hosted();
    const pty = review();
    await pty.until("Norway");
    await pty.until(() => service.requests().filter((line) => /GET \/cards\//.test(line)).length >= 3);
    service.mood.down = true;
    await answer(pty, true);
    await answer(pty, true);
    await pty.until("Mali");
    pty.press("q");
    await pty.ended;
    service.mood.down = false;
    await service.collection((client) => client.cards.delete(ids[0] ?? ""));
    const synced = await run("due", "sync");
    expect(synced.code).toBe(9);
    expect(synced.stderr).toContain(`there is no card ${ids[0]}`);
    expect((await service.collection((client) => reviewsOf(client, ids[1] ?? ""))).length).toBe(1);
    expect((await run("due", "log", "-o", "ndjson")).stdout).toMatch(/"status":"refused"/);
  }, 120_000);
});

/** How many cards have been asked for. */
const fetched = (service: { requests(): string[] }) =>
  service.requests().filter((line) => /GET \/cards\//.test(line)).length;

describe("changes of cards on a service that becomes unavailable", () => {
  it.each([
    ["on the screen", [], "a"],
    ["line by line", ["--plain"], "a\r"],
  ])(
    "tells of those that were not made, in words that stay: %s",
    async (_name, args, archive) => {
      const { review, service, ids } = await hosted({}, capitals.slice(0, 3));
      const pty = review([...args], { columns: 200 });
      await pty.until("Norway");
      await waitFor(() => fetched(service) >= 3, "the cards");
      service.mood.down = true;
      pty.press(archive);
      await pty.until("Chile");
      pty.press(args.length > 0 ? "q\r" : "q");
      expect((await pty.ended).code).toBe(0);
      expect(pty.history().join("\n")).toMatch(`a change of card ${ids[0]} could not be made: `);
    },
    60_000,
  );

  it.each([
    ["on the screen", [], "t"],
    ["line by line", ["--plain"], "t\r"],
  ])(
    "edits no tags of a card that could not be fetched: %s",
    async (_name, args, tags) => {
      const { review, service, ids } = await hosted({}, capitals.slice(0, 1));
      const [id = ""] = ids;
      await service.collection((client) => client.cards.update(id, { "manual-tags": ["mine"] }));
      service.mood.loses = () => service.requests().at(-1)?.startsWith("GET /cards/") === true;
      const pty = review([...args], { columns: 200 });
      await pty.until("Norway", 30_000);
      service.mood.loses = () => false;
      pty.press(tags);
      await pty.until("The tags of this card are not known");
      pty.press(args.length > 0 ? "q\r" : "q");
      await pty.ended;
      const card = await service.collection((client) => client.cards.get(id));
      expect(card.tags).toEqual(["mine"]);
    },
    60_000,
  );

  it("keeps the tags that another device sets meanwhile", async () => {
    const { review, service, ids } = await hosted({}, capitals.slice(0, 1));
    const [id = ""] = ids;
    const tag = (...tags: string[]) =>
      service.collection((client) => client.cards.update(id, { "manual-tags": tags }));
    const tags = async () => [...((await service.collection((c) => c.cards.get(id))).tags ?? [])].sort();
    await tag("mine", "old");
    const pty = review();
    await pty.until("Norway");
    await tag("mine", "phone");
    pty.press("t here\r");
    await expect.poll(tags, { timeout: 10_000 }).toEqual(["here", "mine", "phone"]);
    pty.press("u");
    await expect.poll(tags, { timeout: 10_000 }).toEqual(["mine", "phone"]);
    pty.press("q");
    await pty.ended;
  });

  it("reports a failure line by line as soon as the next question is asked", async () => {
    const { review, service, ids } = await hosted({}, capitals.slice(0, 3));
    const pty = review(["--plain"], { columns: 200 });
    await pty.until("Norway");
    await waitFor(() => fetched(service) >= 3, "the cards");
    const sent = () => service.requests().filter((line) => line.startsWith("POST")).length;
    service.mood.down = true;
    pty.press("a\r");
    // Sent, and sent again as often as a session does: it has failed.
    await waitFor(() => sent() > 0, "the change");
    const told = () => pty.text().includes(`Note: a change of card ${ids[0]} could not be made: `);
    for (let i = 0; i < 200 && !told(); i++) {
      pty.press("?\r");
      await new Promise((done) => setTimeout(done, 100));
    }
    expect(told()).toBe(true);
    pty.press("q\r");
    expect((await pty.ended).code).toBe(0);
    expect(pty.history().join("\n")).not.toContain("warning: card");
  }, 60_000);

  it("says soon that a card cannot be edited while the service is away", async () => {
    const { review, service, ids } = await hosted();
    const asked = () => service.requests().filter((line) => line === `GET /cards/${ids[0]}`).length;
    const pty = review([], { env: { EDITOR: "false" } });
    await pty.until("Norway");
    await pty.until(() => service.requests().filter((line) => /GET \/cards\//.test(line)).length >= 3);
    service.mood.down = true;
    const before = asked();
    pty.press("e");
    await pty.until("connection was lost");
    // Three times before the editor, three times to show the card anew.
    expect(asked() - before).toBeLessThanOrEqual(6);
    pty.press("q");
    expect((await pty.ended).code).toBe(0);
  }, 60_000);

  it("is left with Ctrl-C while the edited card is fetched anew", async () => {
    const { review, service } = await hosted();
    const wasSent = () => service.requests().findIndex((line) => !line.startsWith("GET"));
    const isFetched = () =>
      wasSent() >= 0 &&
      service
        .requests()
        .slice(wasSent())
        .some((line) => line.startsWith("GET"));
    service.mood.delay = () => (isFetched() ? 50_000 : 0);
    const pty = review([], { env: { EDITOR: "sed -i s/Norway/Kingdom/" } });
    await pty.until("Norway");
    pty.press("e");
    await pty.until(() => isFetched() && pty.alternate());
    pty.press("\u0003");
    expect((await pty.ended).code).toBe(0);
    expect(pty.text()).toContain("No cards were reviewed.");
  }, 30_000);
});

/** Saves a profile for a service. @returns the environment that uses it */
async function profileFor(service: { readonly url: string; readonly key: string }, home: string) {
  const { code } = await runProcess(
    [program, "auth", "login", "--profile", "school", "--base-url", service.url, "--key-stdin"],
    { DECKHAND_HOME: home, HOME: home },
    service.key,
  );
  expect(code).toBe(0);
  return { DECKHAND_BASE_URL: "", DECKHAND_API_KEY: "", DECKHAND_PROFILE: "school" };
}

describe("a review on a service that cannot record", () => {
  it("keeps the answers here, and goes by them", async () => {
    const { review, service, run, log } = await hosted({ documentedOnly: true });
    const pty = review();
    await pty.until("Norway");
    expect(pty.screen()[0]).toContain("not recorded on the service");
    await answer(pty, true);
    await answer(pty, false);
    await pty.until("Mali");
    pty.press("q");
    expect((await pty.ended).code).toBe(0);
    expect(pty.text()).toContain("in the log on this machine, not on the service");
    expect(service.requests().filter((line) => !line.startsWith("GET"))).toEqual([]);
    expect(loggedReviews(log())).toHaveLength(2);

    const listed = (await run("due", "list", "-o", "tsv")).stdout
      .replace(/\n$/, "")
      .split("\n")
      .map((row) => row.split("\t"));
    expect(listed.map((row) => row[4] !== "")).toEqual([true, true, false, false]);
    expect((await run("due", "list", "--count")).stdout.trim()).toBe("4");

    // What was forgotten comes back first.
    const next = review(["--plain"]);
    await next.until("Chile");
    next.press("\u0003");
    await next.ended;
  });

  it("asks once for a profile where the answers should go, and keeps the choice with it", async () => {
    const { review, service, home } = await hosted({ documentedOnly: true });
    const env = await profileFor(service, home);
    const first = review([], { env });
    await first.until(
      /This service cannot record reviews[\s\S]*practise only[\s\S]*Where should your answers go\?/,
    );
    first.press("practise\r");
    await first.until("Norway");
    await answer(first, true);
    await first.until("Chile");
    first.press("q");
    await first.ended;
    expect(first.text()).toContain("Nothing was recorded.");
    const second = review([], { env });
    await second.until("Norway");
    expect(second.screen()[0]).toContain("not recorded");
    second.press("q");
    await second.ended;
    const config = JSON.parse(readFileSync(join(home, "config", "config.json"), "utf8"));
    expect(config.profiles.school["review.record"]).toBe("none");
  });

  it("shows the session on the smallest screen, and waits on one that is smaller", async () => {
    const { review } = await hosted({ documentedOnly: true });
    const pty = review([], { columns: 40, rows: 9 });
    await pty.until("Too small: 40x9.");
    pty.resize(40, 10);
    await pty.until("Norway");
    await answer(pty, true);
    for (const _ of capitals.slice(1)) await answer(pty, true);
    await pty.until("Done for now");
    pty.press("G");
    await pty.until(/Streak/);
    pty.press("q");
    expect((await pty.ended).code).toBe(0);
  });

  it("quits at the question without having begun", async () => {
    const { review, log, service, home } = await hosted({ documentedOnly: true });
    const pty = review([], { env: await profileFor(service, home) });
    await pty.until("Where should your answers go?");
    pty.press("\u0003");
    expect((await pty.ended).code).toBe(130);
    expect(pty.alternate()).toBe(false);
    expect(log()).toBe("");
  });
});

describe("the beginning and the end of a review", () => {
  it("needs a terminal on standard input", async () => {
    const { env } = reviewHome();
    const ran = await runProcess([program, "due", "review"], env);
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toMatch(/terminal[\s\S]*deckhand due/);
  });

  it("says that nothing is due", async () => {
    const { review } = reviewHome();
    const pty = review();
    expect((await pty.ended).code).toBe(0);
    expect(pty.text().replaceAll(/\s+/g, " ")).toContain(
      "Nothing is due: there are no cards yet. `deckhand add` adds some, `deckhand demo` shows a review.",
    );
    expect(pty.raw()).not.toContain("\u001b[?1049h");
  });

  it("holds new cards back that are too many for today", async () => {
    const { review, collection } = reviewHome();
    await collection((client) => makeCards(client, capitals));
    const pty = review(["--new", "1"]);
    await pty.until("1 of 1");
    await answer(pty, true);
    await pty.until("Done for now");
    pty.press("q");
    await pty.ended;
    const again = review(["--new", "1"]);
    await again.ended;
    expect(again.text()).toContain("New cards for other days: 3");
  });

  it("practises with cards that are not due and records nothing", async () => {
    const { review, collection, log } = reviewHome();
    const ids = await collection((client) => makeCards(client, capitals.slice(0, 1)));
    const pty = review();
    await pty.until("Norway");
    await answer(pty, true);
    await pty.until("Done for now");
    pty.press("q");
    await pty.ended;
    const practice = review(["Geography", "--practice"]);
    await practice.until("Norway");
    expect(practice.screen()[0]).toContain("practice");
    practice.press("?");
    await practice.until("any key back");
    practice.press("?");
    await practice.until("Norway");
    await answer(practice, false);
    await answer(practice, true);
    await practice.until("Done for now");
    practice.press("q");
    await practice.ended;
    expect(loggedReviews(log())).toHaveLength(1);
    expect(await collection((client) => reviewsOf(client, ids[0] ?? ""))).toHaveLength(1);
  });

  it("says at any width of a session of another day that its answers are recorded today", async () => {
    const { review, collection } = reviewHome();
    await collection((client) => makeCards(client, capitals.slice(0, 1)));
    for (const columns of [80, 40]) {
      const ahead = review(["--date", "+2d"], { columns });
      await ahead.until("recorded as of today");
      ahead.press("q");
      await ahead.ended;
    }
    const today = review(["--date", "today"]);
    await today.until("Norway");
    expect(today.text()).not.toContain("as of today");
  });

  it("warns of a damaged last line of the log once, and uses what is before it", async () => {
    const { review, collection, logPath, env } = reviewHome();
    await collection((client) => makeCards(client, capitals));
    const first = review();
    await first.until("Norway");
    await answer(first, true);
    await first.until("Chile");
    first.press("q");
    await first.ended;
    appendFileSync(logPath(), '{"type":"answer","id":"torn');
    const second = review();
    await second.until("Chile");
    await answer(second, true);
    await second.until("Mali");
    second.press("q");
    await second.ended;
    expect(second.history().join("")).toMatch(/the last line of the review log.* is damaged/);
    const log = await runProcess([program, "due", "log", "-o", "id"], env);
    expect(log.stderr).toBe("");
    expect(log.stdout.trim().split("\n")).toHaveLength(2);
  });
});

describe("a review line by line", () => {
  it.each([
    ["--plain", ["--plain"], {}],
    ["INK_SCREEN_READER", [], { INK_SCREEN_READER: "true" }],
    ["a dumb terminal", [], { TERM: "dumb" }],
  ])(
    "runs with %s: reads cards out, grades, undoes, edits tags, and never moves about the screen",
    async (_name, args, env) => {
      const { review, collection, log } = reviewHome();
      const ids = await collection((client) => makeCards(client, capitals.slice(0, 2)));
      const pty = review([...args], { env });
      await pty.until(/Card 1 of 2\. Geography?[\s\S]*Norway[\s\S]*Enter to reveal/);
      pty.press("1\r");
      await pty.until("Not all of the card is shown yet.");
      pty.press("\r");
      await pty.until(/Oslo[\s\S]*Did you remember/);
      await new Promise((done) => setTimeout(done, 200));
      pty.press("2\r");
      await pty.until(/Card 2 of 2[\s\S]*Chile/);
      pty.press("u\r");
      await pty.until((text) => (text.match(/Norway/g) ?? []).length === 2);
      await new Promise((done) => setTimeout(done, 200));
      pty.press("1\r");
      await pty.until((text) => (text.match(/Chile/g) ?? []).length === 2);
      expect(pty.text()).toContain("Card 2 of 2, 1 again. Geography");
      pty.press("t\r");
      await pty.until("Tags, separated by spaces:");
      pty.press("andes\r");
      await pty.until(/Tags: andes\.\nEnter to reveal/);
      pty.press("q\r");
      expect((await pty.ended).code).toBe(0);
      expect(pty.text()).toMatch(/ · 0 remembered \(0 %\)/);
      expect(pty.raw()).not.toContain("\u001b[?1049h");
      expect(loggedReviews(log()).map(({ remembered }) => remembered)).toEqual([false]);
      const card = await collection((client) => client.cards.get(ids[1] ?? ""));
      expect(card.tags).toEqual(["andes"]);
    },
  );

  it("is not meant by INK_SCREEN_READER=false", async () => {
    const { review, collection } = reviewHome();
    await collection((client) => makeCards(client, capitals.slice(0, 1)));
    const pty = review([], { env: { INK_SCREEN_READER: "false" } });
    await pty.until("Norway");
    expect(pty.alternate()).toBe(true);
    pty.press("q");
    await pty.ended;
  });

  it("opens the only link, asks by number which of several, and says where there is nothing to do", async () => {
    const { review, collection, home } = reviewHome();
    const links = Array.from({ length: 40 }, (_, i) => `[l${i + 1}](https://example.org/${i + 1})`).join(" ");
    const [, id = ""] = await collection((client) =>
      makeCards(client, ["[only](https://example.org/only)", `${links}\n---\nback`]),
    );
    await collection((client) => client.cards.update(id, { "manual-tags": ["a\nb"] }));
    writeFileSync(join(home, "xdg-open"), "#!/bin/sh\n", { mode: 0o755 });
    const env = { PATH: `${home}:${process.env["PATH"]}`, DISPLAY: ":9" };
    const pty = review(["--plain"], { env, columns: 200, rows: 60 });
    // Only a grade may come too early, even where nothing is left to be revealed.
    await pty.until("Did you remember");
    pty.press("o\r");
    await pty.until("Opened https://example.org/only");
    pty.press("a\r");
    await pty.until("l40");
    pty.press("o\r");
    await pty.until(/\n40 {2}l40 https:\/\/example\.org\/40\nWhich one\?/);
    pty.press("12\r");
    await pty.until("Opened https://example.org/12");
    pty.press("s\r");
    await pty.until("There is no other card to go on with.");
    pty.press("t\r");
    await pty.until("A tag of this card holds a control character");
    pty.press("q\r");
    await pty.ended;
    expect((await collection((client) => client.cards.get(id))).tags).toEqual(["a\nb"]);
  });

  it("says that a line is no key, and takes yes and no in words", async () => {
    const { review, collection } = reviewHome();
    const ids = await collection((client) => makeCards(client, capitals.slice(0, 1)));
    const pty = review(["--plain"]);
    await pty.until("Enter to reveal");
    pty.press("what\r");
    await pty.until('"what" is no key; ? lists them.');
    pty.press("?\r");
    await pty.until((text) => (text.match(/Enter to reveal/g) ?? []).length === 3);
    // Nothing scrolls here.
    expect(pty.text()).toContain("u: undo");
    expect(pty.text()).not.toContain("scroll");
    pty.press("x\r");
    await pty.until("Trash this card? (y/n)");
    pty.press("no\r");
    await pty.until((text) => (text.match(/Enter to reveal/g) ?? []).length === 4);
    pty.press("x\r");
    await pty.until((text) => (text.match(/Trash this card/g) ?? []).length === 2);
    pty.press("Yes\r");
    expect((await pty.ended).code).toBe(0);
    expect(await collection((client) => client.cards.get(ids[0] ?? ""))).toMatchObject({
      "trashed?": expect.any(String),
    });
  });

  it("ends with Ctrl-D in the middle of a question, and prints the summary below it", async () => {
    const { review, collection } = reviewHome();
    await collection((client) => makeCards(client, capitals.slice(0, 1)));
    const pty = review(["--plain"]);
    await pty.until("Enter to reveal");
    pty.press("\u0004");
    expect((await pty.ended).code).toBe(0);
    expect(pty.text()).toMatch(/Enter to reveal \(\? for all keys\): *\nNo cards were reviewed\./);
  });

  it("ends with Ctrl-C and keeps what was graded", async () => {
    const { review, collection, log } = reviewHome();
    await collection((client) => makeCards(client, capitals.slice(0, 2)));
    const pty = review(["--plain"]);
    await pty.until("Enter to reveal");
    pty.press("\r");
    await pty.until("Did you remember");
    await new Promise((done) => setTimeout(done, 200));
    pty.press("\r");
    await pty.until("Chile");
    pty.press("\u0003");
    expect((await pty.ended).code).toBe(0);
    expect(loggedReviews(log())).toHaveLength(1);
  });
});
