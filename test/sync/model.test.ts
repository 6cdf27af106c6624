import fc from "fast-check";
import { onTestFinished, test } from "vitest";
import { count, figure, seed } from "../support/soak.ts";
import { Model, type Round, round, withoutKind } from "./model.ts";

/**
 * `SEED` chooses the runs, `RUN` one of them (the path that a failure names); with `SHRINK` set a
 * failing one is made as short as possible.
 */
async function runs(name: string, rounds: fc.Arbitrary<Round[]>, numRuns: number, machines: number) {
  const model = new Model();
  onTestFinished(() => model.close());
  const path = process.env["RUN"];
  const endOnFailure = process.env["SHRINK"] === undefined;
  const begun = performance.now();
  await fc.assert(
    fc.asyncProperty(rounds, (each) => model.run(each, machines)),
    { ...(path ? { path, numRuns: 1 } : { numRuns }), seed, endOnFailure },
  );
  const each = (performance.now() - begun) / numRuns;
  figure(name, { runs: numRuns, effects: model.effects, ms: Number(each.toFixed(1)) });
}

test("no edit is lost or doubled, whenever a sync is killed or anything is edited under it", async () => {
  const rounds = fc.array(round, { minLength: 1, maxLength: 6 });
  await runs("runs with a crash or an edit at any effect", rounds, count("sync_model", 100, 100_000), 1);
}, 36_000_000);

test("two machines that share a folder and an account lose and double nothing either", async () => {
  // A machine cannot tell whose card a file without an id is, if another one has synced it.
  const named = round.map((each) => withoutKind(withoutKind(each, "unname"), "rename"));
  const rounds = fc.array(named, { minLength: 2, maxLength: 8 });
  await runs("runs of two machines", rounds, count("sync_machines", 20, 20_000), 2);
}, 36_000_000);
