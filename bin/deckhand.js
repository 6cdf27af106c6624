#!/usr/bin/env node
// CommonJS and old syntax: Node loads it fastest, and a Node that is too old for the rest can still parse it.
"use strict";
var version = process.versions.node.split(".").map(Number);
if (version[0] < 20 || (version[0] === 20 && (version[1] < 18 || (version[1] === 18 && version[2] < 1)))) {
  process.stderr.write(
    "deckhand: needs Node.js 20.18.1 or newer, this is " +
      process.versions.node +
      "; install it from https://nodejs.org\n",
  );
  process.exitCode = 1;
} else {
  keepCompiledCode(process.env);
  require("../dist/main.cjs").run();
}

// Node 22 and newer can keep what they compiled. By default they use a folder below /tmp, which other users could have
// prepared; compiled code is executed unchecked, so it is kept in the user's own cache folder.
function keepCompiledCode(env) {
  var enable = require("node:module").enableCompileCache;
  var home = env.DECKHAND_HOME || env.XDG_CACHE_HOME || env.LOCALAPPDATA || env.HOME;
  // A CI job begins with an empty home, and what it leaves there is nobody's.
  if (!enable || !home || env.CI || process.argv.length < 3 || /^(--version|-V)$/.test(process.argv[2]))
    return;
  var below = env.DECKHAND_HOME
    ? "cache"
    : env.XDG_CACHE_HOME || env.LOCALAPPDATA
      ? "deckhand"
      : ".cache/deckhand";
  var folder = require("node:path").join(home, below, "code");
  if (require("node:path").isAbsolute(folder)) enable(folder);
}
