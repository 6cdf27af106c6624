import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { cli, serve } from "../support/cli.ts";
import { killer } from "../support/crash.ts";
import { seededRandom } from "../support/random.ts";
import { count, figure, seed } from "../support/soak.ts";
import { waitFor } from "../support/wait-for.ts";

function home() {
  const place = cli({ DECKHAND_PROFILE: "local" });
  onTestFinished(() => place.remove());
  return place;
}

it("settings are the old or the new ones, whenever a change is killed", async () => {
  const kills = count("config_kills", 8, 150);
  const place = home();
  const random = seededRandom(seed);
  const path = join(place.home, "config", "config.json");
  const began = performance.now();
  await place.ok(["config", "set", "timeout", "1s"]);
  const usual = performance.now() - began;
  const timeout = () =>
    JSON.stringify(JSON.parse(readFileSync(path, "utf8"))).match(/"timeout":"?(\d+)/)?.[1];
  let changed = 0;
  const { kill } = killer(random, usual);
  for (let round = 2; round < kills + 2; round++) {
    const before = timeout();
    const child = place.start(["config", "set", "timeout", `${round}s`]);
    if (await kill(child, () => timeout() !== before)) changed++;
    expect([before, String(round), String(round * 1000)]).toContain(timeout());
  }
  await place.ok(["config", "set", "timeout", "1s"]);
  figure("kill -9 of config set", { kills, changed });
}, 600_000);

it("changes of settings by several processes at once are all kept", async () => {
  const rounds = count("config_rounds", 2, 30);
  const place = home();
  for (let round = 1; round <= rounds; round++) {
    const changes = {
      timeout: `${round}s`,
      retries: String(round),
      codec: round % 2 ? "transit" : "json",
      output: round % 2 ? "json" : "tsv",
    };
    const runs = Object.entries(changes).map(([name, value]) => place.run(["config", "set", name, value]));
    for (const run of runs) expect(await run).toMatchObject({ code: 0 });
    for (const [name, value] of Object.entries(changes))
      expect((await place.ok(["config", "get", name])).trim()).toContain(value);
  }
}, 600_000);

it("a download that is killed leaves the old file or the whole new one, and the next removes what it left", async () => {
  const kills = count("download_kills", 5, 100);
  const place = home();
  const random = seededRandom(seed);
  const service = await serve(place);
  onTestFinished(async () => void (await service.stop("SIGKILL")));
  const remote = {
    env: { DECKHAND_PROFILE: "", DECKHAND_BASE_URL: service.url, DECKHAND_API_KEY: service.key },
  };
  const deck = (await place.ok(["decks", "create", "Geography"], remote)).trim();
  const card = (await place.ok(["cards", "create", "--deck-id", deck, "--content", "x"], remote)).trim();
  const large = join(place.home, "large.bin");
  const whole = Buffer.alloc(8 * 1024 * 1024, "new");
  writeFileSync(large, whole);
  await place.ok(["attach", "add", card, large], remote);
  const target = join(place.home, "target.bin");
  const args = ["attach", "get", card, "large.bin", "--output-file", target, "--yes"];
  writeFileSync(target, "old");
  const began = performance.now();
  await place.ok(args, remote);
  const usual = performance.now() - began;
  expect(readFileSync(target).equals(whole)).toBe(true);
  let replaced = 0;
  const { kill } = killer(random, usual);
  const hidden = () => readdirSync(place.home).filter((name) => name.startsWith("."));
  let leftOver = 0;
  // Until one was killed in the middle of its writing, too.
  for (let round = 0; round < kills || (leftOver === 0 && round < kills + 100); round++) {
    writeFileSync(target, "old");
    if (await kill(place.start(args, remote), () => statSync(target).size !== 3)) replaced++;
    const found = readFileSync(target);
    if (found.length === 3) expect(found.toString()).toBe("old");
    else expect(found.equals(whole)).toBe(true);
    leftOver += hidden().length;
  }
  await place.ok(args, remote);
  expect(hidden()).toEqual([]);
  figure("kill -9 of attach get", { kills, replaced, leftOver });
}, 600_000);

it("no process shows the key among its arguments or in its title", async () => {
  if (process.platform !== "linux") return;
  const place = home();
  const service = await serve(place);
  onTestFinished(async () => void (await service.stop("SIGKILL")));
  const env = { DECKHAND_PROFILE: "", DECKHAND_BASE_URL: service.url, DECKHAND_API_KEY: service.key };
  const folder = join(place.home, "watched");
  await place.ok(["cards", "create", "--deck", "D", "--create-deck", "--front", "a", "--back", "b"], { env });
  const child = place.start(["sync", folder, "--watch", "--yes"], { env });
  onTestFinished(() => void child.kill("SIGKILL"));
  // It is in the middle of its work: one card is written, and it waits for the next change.
  await waitFor(() => existsSync(folder) && readdirSync(folder).includes("D"), "the first card is written");
  const lines = ["cmdline", "comm"].flatMap((name) =>
    [child.pid, service.process.pid].map((pid) => readFileSync(`/proc/${pid}/${name}`, "utf8")),
  );
  expect(lines.join(" ")).toContain("deckhand");
  expect(lines.join(" ")).not.toContain(service.key);
}, 60_000);
