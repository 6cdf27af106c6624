import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { idsUnder, isArchived, isTrashed, pathOf } from "../../src/decks/lines.ts";
import { type DecksOptions, Names } from "../../src/decks/names.ts";
import { type DeckFields, readSnapshot, snapshotPath } from "../../src/decks/snapshot.ts";
import { DeckhandError, UsageError } from "../../src/errors.ts";
import { cpuTime } from "../support/cpu-time.ts";
import { temporaryFolder } from "../support/folder.ts";

const minute = 60_000;

type ParentsInList = "no" | "null at the root" | "missing at the root";

/** Decks and templates of an account, and what was asked about them. */
function account(given: readonly DeckFields[], folder = join(temporaryFolder(), "cache")) {
  const decks = new Map(given.map((deck) => [deck.id, deck]));
  const templates: { id: string; name: string }[] = [];
  const asked: string[] = [];
  const state = {
    decks,
    templates,
    asked,
    folder,
    now: Date.UTC(2026, 0),
    parentsInList: "no" as ParentsInList,
  };
  const open = (fresh = false) => {
    // A process begins later than the one before.
    state.now += 1;
    return new Names({
      folder,
      accountHash: "abc",
      fresh,
      now: () => state.now,
      async fetchDecks() {
        asked.push("list");
        return [...state.decks.values()].map(({ id, name, sort, "parent-id": parent, ...flags }) => ({
          id,
          name,
          sort,
          ...(state.parentsInList === "no" ? {} : flags),
          ...(state.parentsInList === "null at the root" ? { "parent-id": parent ?? null } : {}),
          ...(state.parentsInList === "missing at the root" && parent ? { "parent-id": parent } : {}),
        }));
      },
      async fetchDeck(id) {
        asked.push(id);
        const deck = state.decks.get(id);
        if (deck === undefined) throw new DeckhandError("not-found", `deck ${id} was not found`);
        return deck;
      },
      async fetchTemplates() {
        asked.push("templates");
        return [...state.templates];
      },
    });
  };
  return Object.assign(state, { open });
}

const languages = { id: "lang", name: "Languages" };
const spanish = { id: "span", name: "Spanish", "parent-id": "lang" };
const verbs = { id: "verb", name: "Verbs", "parent-id": "span" };

describe("a deck", () => {
  test("is found by id, name and path, exactly or without regard to case", async () => {
    const names = account([languages, spanish, verbs]).open();
    for (const text of ["span", "Spanish", "spanish", "SPANISH", "Languages/Spanish", "languages/SPANISH"])
      expect((await names.deck(text)).id).toBe("span");
    expect((await names.deck("Languages/Spanish/Verbs")).id).toBe("verb");
    await expect(names.deck("Spanish/Verbs")).rejects.toThrow("was not found");
    await expect(names.deck("Verbs/Languages")).rejects.toThrow("was not found");
  });

  test("is found by its exact name before another whose name differs in case", async () => {
    const names = account([
      { id: "a", name: "Verbs" },
      { id: "b", name: "verbs" },
    ]).open();
    expect((await names.deck("verbs")).id).toBe("b");
    await expect(names.deck("VERBS")).rejects.toThrow("ambiguous");
  });

  test("is found by id before another that has that name", async () => {
    const names = account([
      { id: "a", name: "b" },
      { id: "b", name: "c" },
    ]).open();
    expect((await names.deck("b")).id).toBe("b");
  });

  test.each([
    ["Ελληνικός", "ΕΛΛΗΝΙΚΌΣ"],
    ["Straße", "STRASSE"],
    ["Cafe\u0301", "Café"],
    ["日本語", "日本語"],
    ["İstanbul", "İSTANBUL"],
  ])("named %s is found as %s", async (name, text) => {
    expect(
      (
        await account([{ id: "x", name }])
          .open()
          .deck(text)
      ).id,
    ).toBe("x");
  });

  test("whose name holds a slash is found with it escaped, and as it is where no path leads there", async () => {
    const slash = { id: "s", name: "A/B", "parent-id": "lang" };
    const names = account([languages, slash]).open();
    for (const text of ["A\\/B", "A/B", "Languages/A\\/B"]) expect((await names.deck(text)).id).toBe("s");
    expect(await names.path("s")).toBe("Languages/A\\/B");
    const path = [{ id: "a", name: "A" }, { id: "ab", name: "B", "parent-id": "a" }, slash];
    expect((await account(path).open().deck("A/B")).id).toBe("ab");
  });

  test("whose parent has an id that no request can name has no known parent", async () => {
    const names = new Names({
      folder: temporaryFolder(),
      accountHash: "abc",
      fresh: true,
      now: () => 0,
      fetchDecks: async () => [{ id: "a", name: "A", "parent-id": "\u0001" }],
      fetchTemplates: async () => [],
      fetchDeck: async () => {
        throw new UsageError("a deck id cannot hold control characters");
      },
    });
    await names.decks();
    expect(await names.path("a")).toBe("A");
  });

  test("that a thousand decks below each other may be is refused after little work", async () => {
    const decks = Array.from({ length: 1500 }, (_, at) => ({
      id: `d${at}`,
      name: "A",
      ...(at === 0 ? {} : { "parent-id": `d${at - 1}` }),
    }));
    const began = cpuTime();
    await expect(account(decks).open().deck("A")).rejects.toThrow(
      /it names 1500 of them: d0 \(\/A\), d1 \(A\/A\), .* and 1480 more$/,
    );
    expect(cpuTime() - began).toBeLessThan(3_000);
  });

  test("that is ambiguous is refused with the ids and paths of all", async () => {
    const other = { id: "oth", name: "Spanish" };
    const names = account([languages, spanish, other]).open();
    const refused = names.deck("Spanish");
    await expect(refused).rejects.toThrow(
      'deck "Spanish" is ambiguous; it names 2 of them: span (Languages/Spanish), oth (/Spanish)',
    );
    await expect(refused).rejects.toThrow(expect.objectContaining({ exitCode: 2 }));
    expect((await names.deck("Languages/Spanish")).id).toBe("span");
    expect((await names.deck("/Languages/Spanish")).id).toBe("span");
    expect((await names.deck("/Spanish")).id).toBe("oth");
    expect((await names.deck("/spanish")).id).toBe("oth");
    await expect(names.deck("/Verbs")).rejects.toThrow("not found");
  });

  test("that is live is found before one that is trashed, itself or with a deck above it", async () => {
    const trashed = "2026-01-01T00:00:00.000Z";
    const bin = { id: "bin", name: "Bin", "trashed?": trashed };
    const old = [
      bin,
      { id: "t1", name: "Spanish", "trashed?": trashed },
      { id: "t2", name: "Spanish", "parent-id": "bin" },
    ];
    expect(
      (
        await account([...old, languages, spanish])
          .open()
          .deck("Spanish")
      ).id,
    ).toBe("span");
    await expect(account(old).open().deck("Spanish")).rejects.toThrow("names 2 of them");
    expect((await account(old.slice(0, 2)).open().deck("Spanish")).id).toBe("t1");
  });

  test("that is in the trash is known to be, unless it was restored meanwhile, without asking for one that is not", async () => {
    const trashed = "2026-01-01T00:00:00.000Z";
    const service = account([{ ...languages, "trashed?": trashed }, spanish, { id: "x", name: "Other" }]);
    const inTrash = async (name: string) => {
      const names = service.open();
      const { id } = await names.deck(name);
      await names.path(id);
      service.asked.length = 0;
      const line = await names.line(id);
      names.save();
      return { trashed: isTrashed(line), asked: [...service.asked] };
    };
    expect(await inTrash("Spanish")).toEqual({ trashed: true, asked: [] });
    expect(await inTrash("Other")).toEqual({ trashed: false, asked: [] });
    service.decks.set("lang", languages);
    expect(await inTrash("Spanish")).toEqual({ trashed: false, asked: ["span", "lang"] });
    expect(await inTrash("Spanish")).toEqual({ trashed: false, asked: [] });
    expect(await service.open().line("nowhere")).toEqual([]);
  });

  test("has its place from what this process was told, and later from a list with parents", async () => {
    const service = account([{ ...languages, "parent-id": null }, spanish]);
    service.parentsInList = "null at the root";
    const names = service.open();
    await names.deck("Spanish");
    names.noteDeck({ ...languages, "trashed?": "2026-01-01T00:00:00.000Z" });
    names.save();
    service.asked.length = 0;
    const line = await names.line("span");
    expect([pathOf(line), isTrashed(line), isArchived(line)]).toEqual(["Languages/Spanish", true, false]);
    expect(service.asked).toEqual([]);
    service.now += 11 * minute;
    expect(isTrashed(await service.open().line("span"))).toBe(false);
    expect(service.asked).toEqual(["list"]);
  });

  test("is archived as the service has it now, also where a list with parents no longer marks it", async () => {
    for (const parents of ["no", "null at the root"] as const) {
      const service = account([{ ...languages, "archived?": true }, spanish]);
      const archived = async () => {
        const names = service.open();
        const line = await names.line("span");
        names.save();
        return line.map((deck) => deck.archived === true);
      };
      expect(await archived()).toEqual([true, false]);
      service.decks.set("lang", languages);
      service.parentsInList = parents;
      expect(await archived()).toEqual([false, false]);
    }
  });

  test("that does not exist is reported with the nearest names, as not found", async () => {
    const names = account([languages, spanish, verbs]).open();
    const missing = names.deck("Languages/Spansih");
    await expect(missing).rejects.toThrow(
      'deck "Languages/Spansih" was not found; nearest: "Spanish" (span)',
    );
    await expect(missing).rejects.toThrow(expect.objectContaining({ exitCode: 4, code: "not-found" }));
    await expect(names.deck("zzzzzz")).rejects.toThrow(/"zzzzzz" was not found$/);
    await expect(names.deck("")).rejects.toThrow("was not found");
  });
});

describe("the index", () => {
  test("asks only for what it needs", async () => {
    const service = account([languages, spanish, verbs, { id: "x", name: "Other" }]);
    const names = service.open();
    await names.deck("Verbs");
    expect(service.asked).toEqual(["list"]);
    await names.deck("Languages/Spanish");
    expect(service.asked).toEqual(["list", "span", "lang"]);
  });

  test("is kept from one process to the next", async () => {
    const service = account([languages, spanish]);
    const first = service.open();
    await first.deck("Languages/Spanish");
    first.save();
    service.asked.length = 0;
    service.now += 9 * minute;
    const second = service.open();
    expect((await second.deck("Languages/Spanish")).id).toBe("span");
    expect(await second.path("span")).toBe("Languages/Spanish");
    expect(service.asked).toEqual([]);
    const file = snapshotPath(service.folder, "abc");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(service.folder)).toEqual(["names-abc.json"]);
  });

  test("is read again when it is over ten minutes old: decks are renamed", async () => {
    const service = account([languages, spanish]);
    service.templates.push({ id: "word", name: "Word" });
    const ids = async () => {
      const names = service.open();
      const [deck, template] = [await names.deck("Spanish"), await names.template("Word")];
      names.save();
      return [deck.id, template.id];
    };
    expect(await ids()).toEqual(["span", "word"]);
    service.decks.set("span", { id: "span", name: "Castilian" });
    service.decks.set("new", { id: "new", name: "Spanish" });
    service.templates.splice(0, 1, { id: "other", name: "Word" });
    service.now += 9 * minute;
    expect(await ids()).toEqual(["span", "word"]);
    service.now += 2 * minute;
    expect(await ids()).toEqual(["new", "other"]);
  });

  test("is read again when a name is not found or no longer unambiguous", async () => {
    const service = account([languages]);
    const first = service.open();
    await first.deck("Languages");
    first.save();
    service.decks.set("span", spanish);
    service.asked.length = 0;
    expect((await service.open().deck("Spanish")).id).toBe("span");
    expect(service.asked).toEqual(["list"]);
    service.asked.length = 0;
    expect((await service.open().deck("languages/spanish")).id).toBe("span");
    expect(service.asked).toEqual(["list", "span", "lang"]);
  });

  test("finds a deck that moved although its old place is cached", async () => {
    const service = account([languages, spanish, { id: "new", name: "New" }]);
    const first = service.open();
    await first.decks();
    first.save();
    service.decks.set("span", { ...spanish, "parent-id": "new" });
    expect((await service.open().deck("New/Spanish")).id).toBe("span");
  });

  test("is not relied on where asking costs nothing, but kept for completions", async () => {
    const service = account([languages, spanish]);
    service.parentsInList = "missing at the root";
    for (let run = 0; run < 2; run++) {
      const names = service.open(true);
      await names.deck("Languages/Spanish");
      names.save();
    }
    expect(service.asked).toEqual(["list", "list"]);
    expect(readSnapshot(service.folder, "abc").decks.map(({ name }) => name)).toEqual([
      "Languages",
      "Spanish",
    ]);
  });

  test("gives every deck with its parent, fetching only those that are not cached", async () => {
    const service = account([languages, spanish, verbs]);
    const first = service.open();
    await first.deck("Languages/Spanish");
    first.save();
    service.asked.length = 0;
    const steps: string[] = [];
    const progress = (done: number, total: number) => void steps.push(`${done}/${total}`);
    const decks = await service.open().decks({ progress });
    expect(decks.map(({ id, parent }) => [id, parent])).toEqual([
      ["lang", null],
      ["span", "lang"],
      ["verb", "span"],
    ]);
    expect(service.asked).toEqual(["verb"]);
    expect(steps).toEqual(["0/1", "1/1"]);
  });

  test.each(["null at the root", "missing at the root"] as const)(
    "takes the parents from the list where it has them, %s",
    async (parentsInList) => {
      const service = account([languages, spanish, verbs]);
      service.parentsInList = parentsInList;
      const names = service.open();
      expect([...idsUnder(["span"], await names.decks())]).toEqual(["span", "verb"]);
      expect((await names.deck("Languages/Spanish")).id).toBe("span");
      expect(service.asked).toEqual(["list"]);
    },
  );

  test("sees where another program moved a deck: a day later, or at once where that is asked for", async () => {
    const service = account([languages, spanish, verbs]);
    const under = async (options?: DecksOptions) => [
      ...idsUnder(["lang"], await service.open().decks(options)),
    ];
    const first = service.open();
    await first.decks();
    first.save();
    service.decks.set("span", { id: "span", name: "Spanish" });
    service.now += 23 * 60 * minute;
    expect(await under()).toEqual(["lang", "span", "verb"]);
    expect(await under({ now: true })).toEqual(["lang"]);
    service.now += 61 * minute;
    service.asked.length = 0;
    expect(await under()).toEqual(["lang"]);
    expect(service.asked).toEqual(["list", "lang", "span", "verb"]);
  });

  test("knows the decks under a deck, and is not led in circles", async () => {
    const circle = [
      { id: "a", name: "A", "parent-id": "b" },
      { id: "b", name: "B", "parent-id": "a" },
      { id: "self", name: "Self", "parent-id": "self" },
    ];
    const names = account([languages, spanish, verbs, ...circle]).open();
    const under = async (id: string) => [...idsUnder([id], await names.decks())].sort();
    expect(await under("lang")).toEqual(["lang", "span", "verb"]);
    expect(await under("a")).toEqual(["a", "b"]);
    expect(await under("verb")).toEqual(["verb"]);
    expect((await names.deck("A")).id).toBe("a");
    expect(await names.path("self")).toBe("Self");
  });

  test("has an orphan at the root", async () => {
    const names = account([{ id: "o", name: "Orphan", "parent-id": "gone" }]).open();
    expect(await names.path("o")).toBe("Orphan");
    expect((await names.deck("Orphan")).id).toBe("o");
  });

  test("continues where a deck is deleted between the list and its request", async () => {
    const service = account([languages, spanish]);
    const names = service.open();
    await names.deck("Languages");
    service.decks.delete("span");
    expect((await names.decks()).map(({ id }) => id)).toEqual(["lang"]);
    expect(await names.path("span")).toBeUndefined();
  });

  test("passes other failures on", async () => {
    const names = new Names({
      folder: temporaryFolder(),
      accountHash: "x",
      now: Date.now,
      fetchDecks: () => Promise.reject(new DeckhandError("server", "the service failed")),
      fetchDeck: () => Promise.reject(new DeckhandError("server", "the service failed")),
      fetchTemplates: () => Promise.reject(new DeckhandError("server", "the service failed")),
    });
    await expect(names.deck("x")).rejects.toThrow("the service failed");
    await expect(names.path("x")).rejects.toThrow("the service failed");
    await expect(names.template("x")).rejects.toThrow("the service failed");
  });

  test("hears of what was created, changed and removed", async () => {
    const service = account([languages]);
    const names = service.open();
    await names.deck("Languages");
    names.noteDeck(spanish);
    names.noteDeck({ ...languages, name: "Tongues" });
    expect((await names.deck("Tongues/Spanish")).id).toBe("span");
    names.forgetDeck("span");
    await expect(names.deck("Spanish")).rejects.toThrow("was not found");
    expect(service.asked).toEqual(["list"]);
  });

  test("finds templates by id and name", async () => {
    const service = account([]);
    service.templates.push(
      { id: "t1", name: "Country" },
      { id: "t2", name: "Verb" },
      { id: "t3", name: "verb" },
    );
    const names = service.open();
    for (const text of ["t1", "Country", "country"]) expect((await names.template(text)).id).toBe("t1");
    expect((await names.template("verb")).id).toBe("t3");
    await expect(names.template("VERB")).rejects.toThrow("it names 2 of them: t2 (Verb), t3 (verb)");
    await expect(names.template("Contry")).rejects.toThrow('nearest: "Country" (t1)');
    names.noteTemplate({ id: "t4", name: "New" });
    expect((await names.template("New")).id).toBe("t4");
    expect(service.asked).toEqual(["templates"]);
  });

  test.each(["{", "[]", '{"version": 2}', '{"version": 2, "decks": [{}]}', "\0"])(
    "is created again where its file holds %j",
    async (text) => {
      const service = account([languages]);
      mkdirSync(service.folder);
      writeFileSync(snapshotPath(service.folder, "abc"), text);
      const names = service.open();
      expect((await names.deck("Languages")).id).toBe("lang");
      names.save();
      expect(readSnapshot(service.folder, "abc").decks).toHaveLength(1);
    },
  );

  test("works where its file can't be written, and after the clock was set back", async () => {
    const nowhere = account([languages], "/dev/null/cache").open();
    expect((await nowhere.deck("Languages")).id).toBe("lang");
    nowhere.save();
    const service = account([languages]);
    const first = service.open();
    await first.deck("Languages");
    first.save();
    service.now -= 60 * minute;
    service.decks.set("lang", { id: "lang", name: "Tongues" });
    const second = service.open();
    expect((await second.deck("Tongues")).id).toBe("lang");
    second.save();
    expect(readSnapshot(service.folder, "abc").decks[0]?.name).toBe("Tongues");
  });
});
