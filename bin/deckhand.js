#!/usr/bin/env node
// CommonJS and old syntax on purpose: Node loads it fastest, and a Node too old for the rest can still read it.
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
  if (startsProgram(process.argv[2]))
    require("./compile-cache.js").enable(require("node:path").join(__dirname, "..", "dist"));
  // Shells ask for names while somebody types: that has a small program of its own.
  require(process.argv[2] === "__complete" ? "../dist/complete.cjs" : "../dist/main.cjs").run();
}

// What is answered by a file of its own needs no cache, which takes time to set up.
function startsProgram(word) {
  return word !== "__complete" && word !== "--version" && word !== "-V";
}
