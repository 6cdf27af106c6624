// Kills this process with SIGKILL at the nth call that changes files: DIE_AT=<n>. Without it, writes how many there
// were to the file COUNT_CALLS. Loaded with NODE_OPTIONS=--require.
const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");

const at = Number(process.env.DIE_AT ?? 0);
let calls = 0;
const append = fs.writeFileSync;
function count() {
  calls++;
  if (calls === at) process.kill(process.pid, "SIGKILL");
}
function wrap(object, names) {
  for (const name of names) {
    const original = object[name];
    object[name] = function (...args) {
      count();
      return original.apply(this, args);
    };
  }
}
const changing = ["open", "writeFile", "rename", "link", "unlink", "rm", "mkdir", "copyFile"];
wrap(fs, [...changing.map((name) => `${name}Sync`), "writeSync", "fsyncSync", "ftruncateSync"]);
wrap(fs.promises, changing);
syncBuiltinESMExports();
process.on("exit", () => {
  if (process.env.COUNT_CALLS) append(process.env.COUNT_CALLS, String(calls));
});
