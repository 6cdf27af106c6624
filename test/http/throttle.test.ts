import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isLocked } from "../../src/files/lock.ts";
import { systemClock, Throttle, type ThrottleOptions } from "../../src/http/index.ts";
import type { ThrottleEvent } from "../../src/http/throttle.ts";
import { waitFor } from "../support/wait-for.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "deckhand-throttle-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

const throttle = (options: Partial<ThrottleOptions> = {}): Throttle =>
  new Throttle({
    path: join(folder, "account"),
    clock: systemClock,
    ...options,
  });

const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

describe("the throttle", () => {
  it("lets requests of one process through in the order in which they came", async () => {
    const slots = throttle();
    const order: number[] = [];
    await Promise.all(
      [1, 2, 3, 4, 5].map(async (number) => {
        const slot = await slots.acquire({});
        order.push(number);
        await settle();
        slot.release({ kind: "answered" });
      }),
    );
    expect(order).toEqual([1, 2, 3, 4, 5]);
  });

  it("does not lose its place for one that stopped waiting", async () => {
    const slots = throttle();
    const first = await slots.acquire({});
    const controller = new AbortController();
    const second = slots.acquire({ signal: controller.signal });
    const third = slots.acquire({});
    controller.abort(new Error("enough"));
    await expect(second).rejects.toThrow("enough");
    first.release({ kind: "answered" });
    (await third).release({ kind: "answered" });
  });

  it("reports that it waits for another process", async () => {
    const held = await throttle().acquire({});
    const told: ThrottleEvent[] = [];
    const outside = throttle().acquire({ onEvent: (event) => told.push(event) });
    await waitFor(() => told.length === 1, "it waits");
    expect(told[0]).toMatchObject({ type: "wait", why: "other-process" });
    held.release({ kind: "answered" });
    (await outside).release({ kind: "answered" });
  });

  it("waits out a pause that another process was asked for, without holding the slot", async () => {
    const slot = await throttle().acquire({});
    // Before the release, which takes some milliseconds on a busy machine.
    const pausedAt = Date.now();
    slot.release({ kind: "limited", pause: 300 });
    const waits: ThrottleEvent[] = [];
    const next = throttle().acquire({ onEvent: (event) => waits.push(event) });
    await waitFor(() => waits.length > 0, "it waits");
    const locks = readdirSync(folder).filter((name) => name.endsWith(".lockfile"));
    expect(locks.map((name) => isLocked(join(folder, name.replace(".lockfile", ""))))).toEqual([
      false,
      false,
    ]);
    (await next).release({ kind: "answered" });
    expect(Date.now() - pausedAt).toBeGreaterThanOrEqual(295);
    expect(waits[0]).toMatchObject({ type: "wait", why: "pace" });
  });

  it("keeps no pause that no command waits out", async () => {
    const slot = await throttle().acquire({});
    slot.release({ kind: "limited", pause: 3_600_000 });
    (await throttle().acquire({})).release({ kind: "answered" });
  });

  it("lets another process in while requests follow each other", async () => {
    const slots = throttle();
    let entered = false;
    let waiting: Promise<void> | undefined;
    const from = Date.now();
    while (!entered && Date.now() - from < 10_000) {
      const slot = await slots.acquire({});
      waiting ??= throttle()
        .acquire({})
        .then((other) => {
          entered = true;
          other.release({ kind: "answered" });
        });
      await settle();
      slot.release({ kind: "answered" });
    }
    await waiting;
    expect(Date.now() - from).toBeLessThan(5000);
  });

  it("lets another process in while requests follow each other, though the clock was set back", async () => {
    let ahead = 3_600_000;
    const clock = { ...systemClock, now: () => Date.now() + ahead };
    const slots = throttle({ clock });
    let entered = false;
    let waiting: Promise<void> | undefined;
    const from = Date.now();
    while (!entered && Date.now() - from < 5000) {
      const slot = await slots.acquire({});
      waiting ??= throttle({ clock })
        .acquire({ onEvent: () => (ahead = 0) })
        .then((other) => {
          entered = true;
          other.release({ kind: "answered" });
        });
      await settle();
      slot.release({ kind: "answered" });
    }
    expect(entered).toBe(true);
    await waiting;
  });

  it("ignores a pace that cannot be read", async () => {
    const slot = await throttle().acquire({});
    slot.release({ kind: "limited", pause: 60_000 });
    const [file] = readdirSync(folder).filter((name) => name.endsWith(".pace"));
    writeFileSync(join(folder, file ?? ""), '{"next":');
    const waits: unknown[] = [];
    (await throttle().acquire({ onEvent: (event) => waits.push(event) })).release({ kind: "answered" });
    expect(waits).toEqual([]);
  });

  it("says so once and goes on within the process where the folder cannot be used", async () => {
    writeFileSync(join(folder, "file"), "");
    const slots = throttle({ path: join(folder, "file", "account") });
    const told: string[] = [];
    const onEvent = (event: ThrottleEvent) => event.type === "alone" && told.push(event.reason);
    const first = await slots.acquire({ onEvent });
    let second = false;
    const next = slots.acquire({ onEvent }).then((slot) => {
      second = true;
      return slot;
    });
    await settle();
    expect(second).toBe(false);
    first.release({ kind: "answered" });
    (await next).release({ kind: "answered" });
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/ENOTDIR|EEXIST/);
  });
});
