import { type IPty, spawn } from "@lydell/node-pty";
import { describe, expect, onTestFinished, test } from "vitest";
import { buildScript } from "../support/inline-script.ts";

const script = `
  import { askSecret, askText, askYesNo } from "src/output/prompts.ts";
  import { InterruptedError } from "src/errors.ts";
  const stop = new AbortController();
  process.on("SIGTERM", () => stop.abort(new InterruptedError("SIGTERM")));
  const settings = { stdin: process.stdin, stderr: process.stderr, signal: stop.signal };
  const ask = {
    yesNo: () => askYesNo("Delete \\x1b[31mcard\\u202e\\nnow?", settings),
    text: () => askText("Base URL", settings),
    secret: () => askSecret("API key", settings),
  };
  process.stdin.on("error", () => {});
  ask[process.argv[2]]().then(
    (answer) => console.log("answer=" + JSON.stringify(answer)),
    (error) => console.log("error=" + error.name + " " + error.exitCode),
  );
`;

interface Session {
  readonly terminal: IPty;
  shown(): string;
  until(text: string | RegExp): Promise<void>;
}

/** @param within only a shell can stop a program, and let it go on */
async function start(what: string, within?: "shell"): Promise<Session> {
  const built = await buildScript(script);
  const terminal = spawn(within ? "/bin/sh" : process.execPath, within ? ["-i"] : [built, what], {
    cols: 80,
    rows: 24,
    env: { PATH: process.env["PATH"] ?? "" },
  });
  let text = "";
  let wake = () => {};
  terminal.onData((data) => {
    text += data;
    wake();
  });
  onTestFinished(() => terminal.kill("SIGKILL"));
  if (within) terminal.write(`'${process.execPath}' '${built}' ${what}\n`);
  return {
    terminal,
    shown: () => text,
    async until(wanted) {
      const deadline = Date.now() + 15_000;
      while (typeof wanted === "string" ? !text.includes(wanted) : !wanted.test(text)) {
        if (Date.now() > deadline) throw new Error(`did not show ${wanted}: ${JSON.stringify(text)}`);
        await Promise.race([
          new Promise<void>((next) => {
            wake = next;
          }),
          new Promise((next) => setTimeout(next, 200)),
        ]);
      }
    },
  };
}

describe("a question", () => {
  test("is no by Enter alone, yes by y", async () => {
    for (const [keys, answer] of [
      ["\r", "false"],
      ["y", "true"],
    ] as const) {
      const { terminal, until, shown } = await start("yesNo");
      await until("now?");
      expect(shown()).not.toContain("\x1b[31mcard");
      expect(shown()).not.toMatch(/\u202e/);
      terminal.write(keys);
      await until(`answer=${answer}`);
    }
  });

  test("is interrupted by Ctrl-C and by a signal", async () => {
    const first = await start("yesNo");
    await first.until("now?");
    const asked = first.shown().length;
    first.terminal.write("\x03");
    await first.until("error=InterruptedError 130");
    expect(first.shown().slice(asked)).not.toMatch(/cancelled|Yes|No/);
    expect(first.shown()).toMatch(/\n(?:\x1b\[\??\d*[A-Za-z])*error=/);
    const second = await start("secret");
    await second.until("API key");
    second.terminal.kill("SIGTERM");
    await second.until("error=InterruptedError 143");
  });

  test.each(["yesNo", "text", "secret"])("for %s is interrupted by Ctrl-D", async (what) => {
    const { terminal, until } = await start(what);
    await until(/now\?|Base URL|API key/);
    terminal.write("\x04");
    await until("error=InterruptedError 130");
  });

  test.skipIf(process.platform === "win32")("goes on after Ctrl-Z", async () => {
    const { terminal, until } = await start("yesNo", "shell");
    await until("now?");
    terminal.write("\x1a");
    await until("Stopped");
    terminal.write("fg\n");
    await until(/fg\r\n.*\r\n/);
    terminal.write("y");
    await until("answer=true");
  });

  test("for a secret does not show it", async () => {
    const { terminal, until, shown } = await start("secret");
    await until("API key");
    terminal.write("sesame\r");
    await until('answer="sesame"');
    expect(shown().replace('answer="sesame"', "")).not.toContain("sesame");
  });

  test("for a text gives what was typed", async () => {
    const text = await start("text");
    await text.until("Base URL");
    text.terminal.write(" https://x.example \r");
    await text.until('answer="https://x.example"');
  });
});
