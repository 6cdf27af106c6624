// The thread that jq runs in. The library's own input and output take time in proportion to the square of the text, and
// an error after a first result is lost in them. So the three streams are ours, given to the compiled program where it
// asks the operating system for them.
"use strict";
const { parentPort, workerData } = require("node:worker_threads");

// jq's `env` must show nothing of ours: the API key may be there.
for (const name of Object.keys(process.env)) delete process.env[name];

const input = Buffer.from(workerData.json);
const written = { 1: [], 2: [] };
let consumed = 0;
let memory;

/** The calls of WASI that read and write. Each takes a file descriptor and buffers, and returns the number of bytes. */
const streams = {
  _fd_read(fd, buffers) {
    if (fd !== 0) return 0;
    const before = consumed;
    for (const buffer of buffers) consumed += input.copy(buffer, 0, consumed);
    return consumed - before;
  },
  _fd_write(fd, buffers) {
    for (const buffer of buffers) written[fd].push(Buffer.from(buffer));
    return buffers.reduce((bytes, buffer) => bytes + buffer.length, 0);
  },
};

/** A call in WASI's form: buffers are pairs of an address and a length, and the number of bytes goes to an address. */
const wasiCall = (stream) => (fd, address, count, bytes) => {
  const view = new DataView(memory.buffer);
  const buffers = Array.from({ length: count }, (_, index) => {
    const [start, length] = [address + 8 * index, address + 8 * index + 4];
    return new Uint8Array(memory.buffer, view.getUint32(start, true), view.getUint32(length, true));
  });
  view.setUint32(bytes, stream(fd, buffers), true);
  return 0;
};

const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (binary, imports) => {
  for (const functions of Object.values(imports))
    for (const [key, theirs] of Object.entries(functions)) {
      const ours = streams[theirs.name] && wasiCall(streams[theirs.name]);
      if (ours) functions[key] = (fd, ...rest) => (fd <= 2 ? ours(fd, ...rest) : theirs(fd, ...rest));
    }
  const created = await instantiate(binary, imports);
  memory = Object.values(created.instance.exports).find((each) => each instanceof WebAssembly.Memory);
  return created;
};

const text = (fd) => Buffer.concat(written[fd]).toString();
const answer = (status, errors) => parentPort.postMessage({ status, output: text(1), errors });
const library = { exports: {} };
new Function("module", "require", workerData.jq)(library, require);
library
  .exports()
  .then((jq) => answer(jq.callMain(["-M", "-c", "--", workerData.filter]), text(2)))
  .catch(() => answer(5, "jq: error: it was aborted, probably out of memory"));
