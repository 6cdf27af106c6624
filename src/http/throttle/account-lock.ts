import { createHash } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../../files/atomic-write.ts";
import type { Clock } from "../../files/clock.ts";
import { type Held, takeLock } from "../../files/lock.ts";
import { parseBaseUrl } from "../base-url.ts";
import { type Pace, readPace } from "./pace.ts";

export { LockUnusable } from "../../files/lock.ts";

export interface ThrottleOptions {
  /** Where the processes of this machine share locks; created if it does not exist. */
  readonly folder: string;
  readonly baseUrl: string;
  readonly key: string;
  readonly clock: Clock;
  /** From 0 to 1, as Math.random. */
  random(): number;
}

/** The lock of an account, with the pace that its holders hand on. Loaded only when requests go over the network. */
export class AccountLock {
  readonly #options: ThrottleOptions;
  readonly #path: string;
  /** Still held after a request; given back unless the next request comes before anything else happens. */
  #idle: { readonly held: Held; readonly giveBack: NodeJS.Immediate } | undefined;

  constructor(options: ThrottleOptions) {
    this.#options = options;
    this.#path = join(options.folder, accountName(options.baseUrl, options.key));
  }

  /**
   * Waits for the lock.
   *
   * @param request.onWait is called once if another process holds it.
   * @throws LockUnusable where the folder cannot hold a lock; the reason of the signal.
   */
  async take(request: TakeRequest): Promise<HeldAccount> {
    const idle = this.#takeIdle();
    if (idle !== undefined) return this.#heldAccount(idle, undefined);
    const held = await takeLock(this.#path, { ...this.#options, ...request });
    return this.#heldAccount(held, readPaceFile(`${this.#path}.pace`));
  }

  /** The lock of the previous request, unless another process wants it. Taking it again costs as much as a request. */
  #takeIdle(): Held | undefined {
    if (this.#idle === undefined) return undefined;
    const { held, giveBack } = this.#idle;
    clearImmediate(giveBack);
    this.#idle = undefined;
    if (held.kept() && !held.wanted()) return held;
    held.release();
    return undefined;
  }

  #heldAccount(held: Held, pace: Pace | undefined): HeldAccount {
    let released = false;
    return {
      pace,
      release: (known, next = false) => {
        if (released) return;
        released = true;
        if (known !== undefined) writePaceFile(`${this.#path}.pace`, known);
        if (!next) return held.release();
        const giveBack = setImmediate(() => {
          this.#idle = undefined;
          held.release();
        });
        this.#idle = { held, giveBack };
      },
    };
  }
}

interface TakeRequest {
  readonly signal: AbortSignal | undefined;
  readonly onWait: () => void;
}

export interface HeldAccount {
  /** As the last holder left it; undefined if it is unknown, or if this process was the last. */
  readonly pace: Pace | undefined;
  /**
   * Gives the lock back. Only the first call counts.
   *
   * @param pace if the next holder has to know it
   * @param next whether this process is likely to send another request at once
   */
  release(pace?: Pace, next?: boolean): void;
}

/** A file name for the account that does not reveal the key. */
function accountName(baseUrl: string, key: string): string {
  const url = parseBaseUrl(baseUrl);
  const service = `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
  return createHash("sha256").update(`${service}\0${key}`).digest("hex").slice(0, 24);
}

function readPaceFile(path: string): Pace | undefined {
  try {
    return readPace(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

/** Removes the pace that was learned for an account. @returns whether there was one */
export function forgetPace(options: Pick<ThrottleOptions, "folder" | "baseUrl" | "key">): boolean {
  const path = `${join(options.folder, accountName(options.baseUrl, options.key))}.pace`;
  const known = readPaceFile(path) !== undefined;
  rmSync(path, { force: true });
  return known;
}

/** Without the file the pace is learned again. */
function writePaceFile(path: string, pace: Pace): void {
  try {
    replaceFile(path, JSON.stringify(pace), { synced: false });
  } catch {
    // See above.
  }
}
