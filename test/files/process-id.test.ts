import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { ownProcess, pidOf, processName, processState } from "../../src/files/process-id.ts";
import { startZombie } from "../support/zombie.ts";

/** The name of this process with another part in it. */
const named = (parts: { place?: string; pid?: number; start?: string }) => {
  const [place, pid, start] = ownProcess().split("-");
  return [parts.place ?? place, parts.pid ?? pid, parts.start ?? start].join("-");
};
const deadPid = () => spawnSync(process.execPath, ["--version"]).pid;

test("a process is alive until it has ended", () => {
  expect(ownProcess()).toMatch(new RegExp(`^${processName.source}$`));
  expect(pidOf(ownProcess())).toBe(process.pid);
  expect(processState(ownProcess())).toBe("alive");
  expect(processState(named({ pid: deadPid() }))).toBe("dead");
});

test("a number that no process can have is that of a dead one", () => {
  for (const pid of [0, 2 ** 40]) expect(processState(named({ pid }))).toBe("dead");
});

test.skipIf(process.platform !== "linux")(
  "a process with a reused id is not the one that had it before",
  () => {
    expect(processState(named({ start: "1" }))).toBe("dead");
  },
);

test("nothing is known of a process of another host, boot or pid namespace", () => {
  expect(processState(named({ place: "0123456789" }))).toBe("unknown");
  expect(processState(named({ place: "0123456789", pid: deadPid() }))).toBe("unknown");
});

test.skipIf(process.platform !== "linux")(
  "a process that has ended is dead though its parent has not waited for it",
  async () => {
    const ended = await startZombie();
    try {
      expect(processState(named({ pid: ended.pid, start: "0" }))).toBe("dead");
      expect(processState(named({ pid: ended.parent, start: "0" }))).toBe("alive");
    } finally {
      ended.release();
    }
  },
);
