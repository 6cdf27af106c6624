import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { planSync } from "../../src/sync/sync.ts";
import type { SyncPlan } from "../../src/sync/types.ts";
import { newSynced, type Synced } from "./support.ts";

const hasGit = (() => {
  try {
    execFileSync("git", ["--version"]);
    return true;
  } catch {
    return false;
  }
})();

const names = ["one", "two", "three", "four"];

/** A synced folder with a history: three commits, each synced. */
async function repository() {
  const s = await newSynced();
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.com", ...args], {
      cwd: s.root,
      encoding: "utf8",
      env: { PATH: process.env["PATH"], HOME: s.root, GIT_CONFIG_NOSYSTEM: "1", GIT_EDITOR: "true" },
      stdio: ["ignore", "pipe", "pipe"],
    });
  const commit = (message: string) => {
    git("add", "-A");
    git("commit", "-q", "-m", message);
  };
  git("init", "-q", "-b", "main");
  s.write("A/one.md", "one\n\nmiddle\n\nend\n");
  await s.sync();
  commit("first");
  for (const name of names.slice(1)) s.write(`A/${name}.md`, `${name}\n\nmiddle\n\nend\n`);
  await s.sync();
  commit("second");
  edit(s, "one", "middle", "middle, edited");
  await s.sync();
  commit("third");
  return { s, git, commit };
}

function edit(s: Synced, name: string, from: string, to: string): void {
  s.write(`A/${name}.md`, s.read(`A/${name}.md`).replace(from, to));
}

/** Confirms what is not a removal. */
const approve = async (plan: SyncPlan) => {
  if (plan.changes.some(({ op }) => op === "remove")) throw new Error("removals need a confirmation");
  return undefined;
};

const contents = async (s: Synced) =>
  Object.fromEntries((await s.cards()).map(({ content = "" }) => [content?.split("\n")[0], content]));

describe.skipIf(!hasGit)("a synced folder in git", () => {
  test("ignores the private folder, and tracks cards and decks", async () => {
    const { git } = await repository();
    const tracked = git("ls-files").trim().split("\n");
    expect(tracked).toEqual(["A/deck.yaml", ...[...names].sort().map((name) => `A/${name}.md`)].sort());
  });

  test("a merge is synced as edits; conflicts of git are text until they are resolved", async () => {
    const { s, git, commit } = await repository();
    git("checkout", "-q", "-b", "topic");
    edit(s, "one", "end", "end, on the topic");
    edit(s, "two", "middle", "middle, on the topic");
    commit("topic");
    git("checkout", "-q", "main");
    edit(s, "one", "one\n\n", "one, on main\n\n");
    edit(s, "two", "middle", "middle, on main");
    commit("main");
    await s.sync({ approve });
    expect(() => git("merge", "-q", "topic")).toThrow();
    await s.sync({ approve });
    expect((await contents(s))["one, on main"]).toContain("end, on the topic");
    expect((await contents(s))["two"]).toContain("middle, on main");
    expect((await contents(s))["two"]).toContain("<<<<<<< HEAD");
    s.write("A/two.md", s.read("A/two.md").replace(/^(?:<{7}|={7}|>{7}).*\n/gm, ""));
    commit("merged");
    expect((await s.sync({ approve })).left).toEqual([]);
    expect((await contents(s))["two"]).toContain("middle, on main\nmiddle, on the topic");
    expect(await s.cards()).toHaveLength(4);
  });

  test("a rebase is synced as edits", async () => {
    const { s, git, commit } = await repository();
    git("checkout", "-q", "-b", "topic");
    edit(s, "three", "end", "end, on the topic");
    commit("topic");
    await s.sync({ approve });
    git("checkout", "-q", "main");
    edit(s, "four", "end", "end, on main");
    commit("main");
    git("checkout", "-q", "topic");
    git("rebase", "-q", "main");
    expect((await s.sync({ approve })).left).toEqual([]);
    const now = await contents(s);
    expect([now["three"], now["four"]]).toEqual([
      expect.stringContaining("end, on the topic"),
      expect.stringContaining("end, on main"),
    ]);
    expect(await s.cards()).toHaveLength(4);
  });

  test("a stash takes back edits, and removes a card only after a question", async () => {
    const { s, git } = await repository();
    edit(s, "two", "end", "end, edited");
    s.write("A/five.md", "five\n");
    await s.sync({ approve });
    git("stash", "-q", "--include-untracked");
    expect(existsSync(join(s.root, "A/five.md"))).toBe(false);
    await expect(s.sync({ approve })).rejects.toThrow("removals need a confirmation");
    expect(await s.cards()).toHaveLength(5);
    git("stash", "pop", "-q");
    expect((await s.sync({ approve })).left).toEqual([]);
    expect((await contents(s))["two"]).toContain("end, edited");
  });

  test("a checkout of an old commit, or of one beside the last one, is told from a newer one", async () => {
    const { s, git, commit } = await repository();
    const isOld = async () => (await planSync(s.options())).plan.isOld;
    // The commits were made after the syncs of what is in them.
    await s.sync({ approve });
    git("checkout", "-q", "HEAD~2");
    expect(await isOld()).toBe(true);
    git("checkout", "-q", "-b", "beside");
    s.write("A/six.md", "six\n");
    commit("beside");
    expect(await isOld()).toBe(true);
    git("checkout", "-q", "main");
    expect(await isOld()).toBe(false);
    edit(s, "two", "end", "end, newer");
    commit("newer");
    expect(await isOld()).toBe(false);
    // Once it is synced, it is the last one.
    git("checkout", "-q", "beside");
    await s.sync({ maxDelete: 100 });
    expect(await isOld()).toBe(false);
  });

  test("a checkout in which files are only missing asks before cards are removed", async () => {
    const { s } = await repository();
    rmSync(join(s.root, "A/four.md"));
    await expect(s.sync({ approve })).rejects.toThrow("removals need a confirmation");
    expect(await s.cards()).toHaveLength(4);
  });
});
