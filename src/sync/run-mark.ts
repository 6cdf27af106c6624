import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { privateFolder } from "../folder/layout.ts";

const tmp = `${privateFolder}/tmp`;

/**
 * A file in the folder while a machine syncs it. Where it remains, that sync did not end: a file may be moved aside, or
 * have a card whose id is not in it yet, which only that machine knows.
 */
export class RunMark {
  readonly #root: string;
  readonly #name: string;

  /** @param owner names this machine and account among those that sync the folder */
  constructor(root: string, owner: string) {
    this.#root = root;
    this.#name = `${owner}.run`;
  }

  begin(): void {
    mkdirSync(join(this.#root, tmp), { recursive: true, mode: 0o700 });
    writeFileSync(join(this.#root, tmp, this.#name), "", { mode: 0o600 });
  }

  end(): void {
    rmSync(join(this.#root, tmp, this.#name), { force: true });
  }

  /** The path of the mark of another machine. */
  foreign(): string | undefined {
    try {
      const names = readdirSync(join(this.#root, tmp)).filter((name) => name.endsWith(".run"));
      const other = names.find((name) => name !== this.#name);
      return other && `${tmp}/${other}`;
    } catch {
      return undefined; // There is no such folder yet.
    }
  }
}
