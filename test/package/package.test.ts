import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";

interface Packed {
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

type LockedPackage = {
  readonly [flag in "dev" | "optional" | "devOptional" | "peer" | "hasInstallScript"]?: boolean;
};

/** Packing compresses 20 MB. */
const slow = 120_000;

describe("the package", () => {
  test("holds what runs and what people read, and nothing else", { timeout: slow }, () => {
    const [packed] = JSON.parse(
      execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
        encoding: "utf8",
        stdio: "pipe",
      }),
    ) as [Packed];
    const files = packed.files
      .map(({ path }) => path)
      .filter((path) => !/^dist\/(?:chunks|man|sqlite|study)\//.test(path));
    expect(packed.files.map(({ path }) => path)).toContain("dist/man/deckhand.1");
    const binaries = packed.files.filter(({ path }) => path.startsWith("dist/sqlite/"));
    expect(binaries.map(({ path }) => path.split("/")[2])).toEqual(
      expect.arrayContaining(["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64", "win32-x64"]),
    );
    expect(files.toSorted()).toEqual(
      [
        "CHANGELOG.md",
        "LICENSE",
        "README.md",
        "bin/deckhand.js",
        "bin/package.json",
        "completions/_deckhand",
        "completions/deckhand.bash",
        "completions/deckhand.fish",
        "completions/deckhand.ps1",
        "dist/main.cjs",
        "dist/review.mjs",
        "dist/third-party-notices.txt",
        ...readdirSync("docs").flatMap((name) => (name.endsWith(".md") ? [`docs/${name}`] : [])),
        "docs/skill/SKILL.md",
        "package.json",
      ].toSorted(),
    );
    // Most of it is the binaries of SQLite.
    expect(packed.size).toBeLessThan(12 * 1024 * 1024);
  });

  test("brings one package with it, and none with an install script", () => {
    const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
      packages: Record<string, LockedPackage>;
    };
    const used = Object.entries(packages).filter(([path, { dev }]) => path && !dev);
    const needed = used.filter(([, { optional, devOptional, peer }]) => !optional && !devOptional && !peer);
    expect(needed.map(([path]) => path.replace("node_modules/", ""))).toEqual(["jq-wasm"]);
    // npm warns its user about each.
    expect(used.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([]);
    expect(readFileSync("docs/design/dependencies.md", "utf8")).toContain("installs one package with it");
  });

  test("is without fault in the eyes of publint", { timeout: slow }, () => {
    const folder = mkdtempSync(join(tmpdir(), "deckhand-pack-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
    const pack = ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder];
    const [name = ""] = execFileSync("npm", pack, { encoding: "utf8", stdio: "pipe" }).trim().split("\n");
    const args = [join("node_modules", "publint", "src", "cli.js"), "--strict", join(folder, name)];
    const said = execFileSync(process.execPath, args, { encoding: "utf8", stdio: "pipe" });
    expect(said).toContain("All good!");
  });

  test("tells a Node that is too old one clear sentence", () => {
    const old = "Object.defineProperty(process.versions, 'node', { value: '18.20.0' })";
    const script = `${old}; process.argv[1] = 'deckhand'; require('./bin/deckhand.js')`;
    let said = "";
    try {
      execFileSync(process.execPath, ["-e", script], { stdio: "pipe" });
    } catch (error) {
      said = String((error as { stderr: Buffer }).stderr);
    }
    expect(said).toBe(
      "deckhand: needs Node.js 20.18.1 or newer, this is 18.20.0; install it from https://nodejs.org\n",
    );
  });
});
