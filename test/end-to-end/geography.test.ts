import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cli, cli, type Served, serve } from "../support/cli.ts";
import { count } from "../support/soak.ts";

/**
 * The whole life of a collection, with the built program as a process for every command: on `deckhand serve` and on
 * the profile `local`, in both codecs. What it prints must be the same each time, to the byte, but for ids and instants.
 */

const continents = ["Africa", "Asia", "Europe", "North_America", "Oceania", "South_America"];
const everywhere = readPlaces();
/** A few of each continent in `npm test`, all of them in the soak: each is a process. */
const perContinent = count("places", 4, everywhere.length);
const places = continents.flatMap((each) =>
  everywhere.filter(({ continent }) => continent === each).slice(0, perContinent),
);

describe("the geography collection", () => {
  const homes: Cli[] = [];
  const transcripts = new Map<string, Promise<string[]>>();
  let served: Served;

  beforeAll(async () => {
    const host = home();
    served = await serve(host, ["--data", join(host.home, "served")]);
    const otherKey = await served.addAccount("other");
    transcripts.set("served json", live(remote("json", served.key)));
    transcripts.set("served transit", live(remote("transit", otherKey)));
    transcripts.set("local json", live(home({ DECKHAND_PROFILE: "local", DECKHAND_CODEC: "json" })));
    transcripts.set("local transit", live(home({ DECKHAND_PROFILE: "local", DECKHAND_CODEC: "transit" })));
    await Promise.allSettled(transcripts.values());
  }, 600_000);

  afterAll(async () => {
    expect(await served.stop()).toBe(0);
    for (const each of homes) each.remove();
  });

  test("has a card for every place with a capital", () => {
    expect(everywhere.length).toBe(219);
  });

  test("lives on a served account in JSON", async () => {
    const lines = await transcripts.get("served json");
    expect(lines?.length).toBeGreaterThan(20);
    expect(lines?.join("\n")).toContain(places[0]?.russian);
  });

  for (const name of ["served transit", "local json", "local transit"])
    test(`is the same on ${name}`, async () => {
      expect(await transcripts.get(name)).toEqual(await transcripts.get("served json"));
    });

  function home(env: NodeJS.ProcessEnv = {}): Cli {
    const made = cli(env);
    homes.push(made);
    return made;
  }

  function remote(codec: string, key: string): Cli {
    return home({ DECKHAND_BASE_URL: served.url, DECKHAND_API_KEY: key, DECKHAND_CODEC: codec });
  }
});

/** Everything that one account went through, as printed, with ids and instants replaced by what they stand for. */
async function live(deckhand: Cli): Promise<string[]> {
  const names = new Map<string, string>();
  const transcript: string[] = [];
  const make = async (label: string, ...args: string[]) => {
    const id = (await deckhand.ok(args)).trim();
    expect(id).toMatch(/^[0-9A-Za-z]{8}$/);
    names.set(id, label);
    return id;
  };
  const note = async (...args: string[]) => {
    transcript.push(`$ ${mask(args.join(" "), names)}`, mask(await deckhand.ok(args), names));
  };

  const root = await make("<geography>", "decks", "create", "Geography");
  const decks: string[] = [];
  for (const [sort, continent] of continents.entries()) {
    const name = spaced(continent);
    decks.push(
      await make(`<${name}>`, "decks", "create", name, "--parent", "Geography", "--sort", `${sort + 1}`),
    );
  }
  const template = await make(
    "<template>",
    ...["templates", "create", "Capital", "--content", "# << Country >>\n---\n<< Capital >>"],
    ...["--field", "name=Country:text", "--field", "capital=Capital:text"],
  );
  const cards: string[] = [];
  for (const place of places) cards.push(await make(`<card ${place.country}>`, ...createCard(place)));

  const [first = "", second = "", third = "", fourth = ""] = cards;
  for (const [index, card] of cards.slice(0, 10).entries()) {
    const file = join(deckhand.home, `map ${index} é.txt`);
    writeFileSync(file, `map of ${places[index]?.country}\n`.repeat(index));
    transcript.push(await deckhand.ok(["attach", "add", card, file]));
  }
  await note("attach", "remove", first, "map 0 é.txt");

  await note("decks", "list");
  await note("decks", "list", "--tree");
  await note("decks", "get", "Geography/Europe", "-o", "json");
  await note("templates", "list", "-o", "json");
  await note("templates", "get", "capital");
  for (const deck of decks)
    await note("cards", "list", "--deck-id", deck, "-o", "ndjson", "--columns", "id,name,tags,fields,pos");
  const all = (await deckhand.ok(["cards", "list", "-o", "id"])).trim().split("\n");
  expect(all.toSorted()).toEqual(cards.toSorted());
  await note("cards", "get", first, second, "-o", "json");
  await note("cards", "update", first, "--field", "Capital=Londinium", "--add-tag", "changed", "-o", "json");
  await note("cards", "archive", second, third);
  await note("cards", "trash", third);
  await note("cards", "restore", third);
  await note("cards", "move", fourth, "--deck", "Geography");
  await note("cards", "delete", second, "--yes");
  await note("decks", "archive", "Geography/Asia");
  await note(
    "decks",
    "get",
    "Geography/Africa",
    root,
    "-o",
    "csv",
    "--columns",
    "id,name,card-count,archived?,parent-id",
  );
  await note("api", "GET", `/templates/${template}`);

  const due = (await deckhand.ok(["due", "Geography", "-o", "id"])).trim().split("\n");
  transcript.push(mask(due.join("\n"), names).split("\n").toSorted().join("\n"));
  await note("due", "Geography", "--no-recursive", "-o", "json");
  await note("due", "--deck", "Europe", "--count");
  return transcript;
}

function createCard(place: Place): string[] {
  return [
    ...["cards", "create", "--deck", `Geography/${spaced(place.continent)}`, "--template", "Capital"],
    ...["--field", `Country=${place.country}`, "--field", `Capital=${place.capital} ${place.russian}`],
    ...place.tags.flatMap((tag) => ["--tag", tag]),
  ];
}

/** Ids become what they were made for, instants one word. */
function mask(text: string, names: ReadonlyMap<string, string>): string {
  return text
    .replace(/\b[0-9A-Za-z]{8}\b/g, (word) => names.get(word) ?? word)
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "<instant>");
}

interface Place {
  readonly country: string;
  readonly capital: string;
  readonly russian: string;
  readonly continent: string;
  readonly tags: readonly string[];
}

function readPlaces(): Place[] {
  const rows = (name: string): Record<string, string>[] =>
    parse(readFileSync(`test/fixtures/geography/${name}.csv`), { columns: true });
  const tags = new Map(rows("main").map((row) => [row["country"], (row["tags"] ?? "").split(", ")]));
  return rows("capital").flatMap((row) => {
    const { country = "", capital = "" } = row;
    const own = (tags.get(country) ?? []).map((tag) => tag.replace("UG::", ""));
    const continent = continents.find((each) => own.includes(each));
    if (capital === "" || continent === undefined) return [];
    return [{ country, capital, russian: row["capital:ru"] ?? "", continent, tags: own }];
  });
}

const spaced = (name: string) => name.replace("_", " ");
