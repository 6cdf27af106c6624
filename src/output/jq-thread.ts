/**
 * The thread that jq runs in. The library's own input and output copy everything for each byte that goes through them
 * (a megabyte takes half a minute), and an error behind a first result is lost in them: so the three streams are ours,
 * given to the compiled program where it asks the operating system for them. `env` of jq shows nothing of ours, either:
 * the key may stand there.
 */
export const jqThread = `
const { parentPort, workerData } = require("node:worker_threads");
for (const name of Object.keys(process.env)) delete process.env[name];

const input = Buffer.from(workerData.json);
const written = { 1: [], 2: [] };
let taken = 0;
let memory;

// As WASI has them: buffers are pairs of an address and a length, and how many bytes went is written to an address.
const streams = {
  _fd_read: (fd, buffers) => {
    if (fd !== 0) return 0;
    const before = taken;
    for (const buffer of buffers) taken += input.copy(buffer, 0, taken);
    return taken - before;
  },
  _fd_write: (fd, buffers) => {
    for (const buffer of buffers) written[fd].push(Buffer.from(buffer));
    return buffers.reduce((bytes, buffer) => bytes + buffer.length, 0);
  },
};
const call = (stream) => (fd, address, count, bytes) => {
  const view = new DataView(memory.buffer);
  const buffers = Array.from({ length: count }, (_, index) =>
    new Uint8Array(memory.buffer, view.getUint32(address + 8 * index, true), view.getUint32(address + 8 * index + 4, true)));
  view.setUint32(bytes, stream(fd, buffers), true);
  return 0;
};

const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (binary, imports) => {
  for (const functions of Object.values(imports))
    for (const [key, theirs] of Object.entries(functions)) {
      const ours = streams[theirs.name] && call(streams[theirs.name]);
      if (ours) functions[key] = (fd, ...rest) => (fd <= 2 ? ours(fd, ...rest) : theirs(fd, ...rest));
    }
  const made = await instantiate(binary, imports);
  memory = Object.values(made.instance.exports).find((each) => each instanceof WebAssembly.Memory);
  return made;
};

const text = (fd) => Buffer.concat(written[fd]).toString();
const tell = (status, errors) => parentPort.postMessage({ status, output: text(1), errors });
require(workerData.path)()
  .then((jq) => tell(jq.callMain(["-M", "-c", "--", workerData.filter]), text(2)))
  .catch(() => tell(5, "jq: error: it gave up, most likely for want of memory"));`;
