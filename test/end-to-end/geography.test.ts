import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cli, cli, type Served, serve } from "../support/cli.ts";
import { count, isSoak } from "../support/soak.ts";
import { type Deckhand, deckhand } from "../support/world.ts";

/**
 * The whole life of a collection: on `deckhand serve` and on the profile `local`, in both codecs. What is printed must be
 * the same each time, to the byte, but for ids and instants. In the soak each command is a process of the built program.
 */

const continents = ["Africa", "Asia", "Europe", "North_America", "Oceania", "South_America"];
const everywhere = readPlaces();
/** A few of each continent in `npm test`, all of them in the soak. */
const perContinent = count("places", 4, everywhere.length);
const places = continents.flatMap((each) =>
  everywhere.filter(({ continent }) => continent === each).slice(0, perContinent),
);

describe("the geography collection", () => {
  const host = cli();
  const homes: Cli[] = [host];
  const transcripts = new Map<string, Promise<string[]>>();
  let served: Served;

  beforeAll(async () => {
    served = await serve(host, ["--data", join(host.home, "served")]);
    const otherKey = await served.addAccount("other");
    const remote = { DECKHAND_PROFILE: "", DECKHAND_BASE_URL: served.url };
    const accounts = {
      "served json": { ...remote, DECKHAND_API_KEY: served.key, DECKHAND_CODEC: "json" },
      "served transit": { ...remote, DECKHAND_API_KEY: otherKey, DECKHAND_CODEC: "transit" },
      "local json": { DECKHAND_PROFILE: "local", DECKHAND_CODEC: "json" },
      "local transit": { DECKHAND_PROFILE: "local", DECKHAND_CODEC: "transit" },
    };
    for (const [name, env] of Object.entries(accounts)) transcripts.set(name, live(await home(env)));
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

  async function home(env: Record<string, string>): Promise<Account> {
    const made = cli(env);
    homes.push(made);
    return isSoak ? made : deckhand(env, made.home);
  }
});

type Account = Pick<Cli | Deckhand, "home" | "ok">;

/** Everything that one account went through, as printed, with ids and instants replaced by what they stand for. */
async function live(account: Account): Promise<string[]> {
  const names = new Map<string, string>();
  const transcript: string[] = [];
  const make = async (label: string, ...args: string[]) => {
    const id = (await account.ok(args)).trim();
    expect(id).toMatch(/^[0-9A-Za-z]{8}$/);
    names.set(id, label);
    return id;
  };
  const note = async (...args: string[]) => {
    transcript.push(`$ ${mask(args.join(" "), names)}`, mask(await account.ok(args), names));
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
    const file = join(account.home, `map ${index} é.txt`);
    writeFileSync(file, `map of ${places[index]?.country}\n`.repeat(index));
    transcript.push(await account.ok(["attach", "add", card, file]));
  }
  await note("attach", "remove", first, "map 0 é.txt");

  await note("decks", "list");
  await note("decks", "list", "--tree");
  await note("decks", "get", "Geography/Europe", "-o", "json");
  await note("templates", "list", "-o", "json");
  await note("templates", "get", "capital");
  for (const deck of decks)
    await note("cards", "list", "--deck-id", deck, "-o", "ndjson", "--columns", "id,name,tags,fields,pos");
  const all = (await account.ok(["cards", "list", "-o", "id"])).trim().split("\n");
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

  const due = (await account.ok(["due", "list", "Geography", "-o", "id"])).trim().split("\n");
  transcript.push(mask(due.join("\n"), names).split("\n").toSorted().join("\n"));
  await note("due", "list", "Geography", "--no-recursive", "-o", "json");
  await note("due", "list", "--deck", "Europe", "--count");
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
