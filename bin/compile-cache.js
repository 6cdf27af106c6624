"use strict";
// Compiling is a quarter of the time that a short command takes, so what was compiled is kept in the cache folder, readable
// and writable by its owner alone. Node 22 and newer know how to, but where they are not told where they use a folder of
// /tmp, which whoever came first has made and may change. For Node 20 it is done here: the compiled form of each chunk of
// `dist`, whose name holds the hash of its content, is kept. V8 itself refuses what another version of it, or another kind
// of processor, has written. Whatever goes wrong, the chunk is compiled.
const fs = require("node:fs");
const path = require("node:path");
const Module = require("node:module");

const month = 30 * 24 * 60 * 60 * 1000;

exports.enable = (dist) => {
  // A job that begins with an empty machine each time gains nothing from what it keeps.
  if (process.env.NODE_DISABLE_COMPILE_CACHE || process.env.CI) return;
  let folder;
  try {
    folder = cacheFolder(process.env);
  } catch {
    // A relative DECKHAND_HOME, from a folder that is gone.
  }
  if (folder === undefined || !isPrivate(folder)) return;
  if (Module.enableCompileCache) {
    Module.enableCompileCache(folder);
    removeOldNowAndThen(folder);
    return;
  }
  const vm = require("node:vm");
  const compile = Module.prototype._compile;
  const chunks = path.join(dist, "chunks") + path.sep;
  const fresh = [];

  Module.prototype._compile = function (content, filename) {
    // Node 20 gives scripts no way to import that is not experimental: what imports is compiled as ever.
    if (!filename.startsWith(chunks) || /\bimport\(/.test(content))
      return compile.call(this, content, filename);
    const file = path.join(folder, `${path.basename(filename)}.${process.version}.${process.arch}`);
    const cachedData = readIfThere(file);
    const script = new vm.Script(Module.wrap(content), {
      filename,
      cachedData,
    });
    if (cachedData === undefined || script.cachedDataRejected) fresh.push({ file, script });
    const run = script.runInThisContext();
    return run.call(
      this.exports,
      this.exports,
      Module.createRequire(filename),
      this,
      filename,
      path.dirname(filename),
    );
  };
  process.on("exit", () => {
    if (fresh.length > 0) removeOld(folder);
    for (const { file, script } of fresh) keep(file, script);
  });
};

// As src/config/folders.ts has it, which is part of what is being loaded.
function cacheFolder(env) {
  const { DECKHAND_HOME, LOCALAPPDATA, HOME, XDG_CACHE_HOME } = env;
  if (DECKHAND_HOME) return path.resolve(DECKHAND_HOME, "cache", "code");
  if (process.platform === "win32")
    return LOCALAPPDATA && path.join(LOCALAPPDATA, "deckhand", "Cache", "code");
  if (process.platform === "darwin") return HOME && path.join(HOME, "Library", "Caches", "deckhand", "code");
  if (XDG_CACHE_HOME && path.isAbsolute(XDG_CACHE_HOME)) return path.join(XDG_CACHE_HOME, "deckhand", "code");
  return HOME && path.join(HOME, ".cache", "deckhand", "code");
}

// Compiled code is run without being looked at: it is taken only from a folder that nobody else can write to.
function isPrivate(folder) {
  try {
    if (isRoot() && ownerOf(folder) !== 0) return false;
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = fs.statSync(folder);
    return process.platform === "win32" || (uid === process.getuid() && (mode & 0o022) === 0);
  } catch {
    return false;
  }
}

// sudo may leave HOME as it is: what root makes in somebody's home is in their way ever after.
function isRoot() {
  return process.getuid !== undefined && process.getuid() === 0;
}

// Of the folder, or of the nearest one above that is there.
function ownerOf(folder) {
  const found = fs.statSync(folder, { throwIfNoEntry: false });
  return found === undefined ? ownerOf(path.dirname(folder)) : found.uid;
}

function readIfThere(file) {
  try {
    return fs.readFileSync(file);
  } catch {
    return undefined;
  }
}

function keep(file, script) {
  try {
    const part = `${file}.${process.pid}`;
    fs.writeFileSync(part, script.createCachedData(), { mode: 0o600 });
    fs.renameSync(part, file);
  } catch {
    // The next command tries again.
  }
}

// What earlier versions of the program left. Chunks in use are written anew when they are gone.
function removeOld(folder) {
  try {
    for (const name of fs.readdirSync(folder, { recursive: true })) {
      const file = path.join(folder, name);
      const found = fs.statSync(file);
      if (found.isFile() && isOld(found)) fs.unlinkSync(file);
    }
  } catch {
    // Another process was quicker.
  }
}

// Node keeps its own in folders below, and does not tell when it does: the date of this one says when it was looked at.
function removeOldNowAndThen(folder) {
  try {
    if (!isOld(fs.statSync(folder))) return;
    removeOld(folder);
    fs.utimesSync(folder, new Date(), new Date());
  } catch {
    // See above.
  }
}

function isOld({ mtimeMs }) {
  return Date.now() - mtimeMs > month;
}
