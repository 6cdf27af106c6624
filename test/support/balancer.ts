import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./postgres.ts";
import { waitFor } from "./wait-for.ts";

export const hasHaproxy = spawnSync("haproxy", ["-v"], { stdio: "ignore" }).status === 0;

/** HAProxy in front of servers: each request goes to the next one, to another one only if it was not taken. */
export async function startBalancer(
  ports: readonly number[],
): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "deckhand-haproxy-"));
  const port = await freePort();
  const settings = join(folder, "haproxy.cfg");
  const lines = [
    "defaults",
    " mode http",
    " timeout connect 1s\n timeout client 60s\n timeout server 60s",
    " retries 3\n retry-on conn-failure\n option redispatch 1",
    `frontend all\n bind 127.0.0.1:${port}\n default_backend servers`,
    "backend servers\n balance roundrobin\n http-reuse never",
    ...ports.map((each, at) => ` server s${at} 127.0.0.1:${each}`),
  ];
  writeFileSync(settings, `${lines.join("\n")}\n`);
  const child = spawn("haproxy", ["-f", settings, "-db", "-q"], { stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const url = `http://127.0.0.1:${port}`;
  let answers = false;
  const asking = (async () => {
    while (!answers && child.exitCode === null)
      answers = await fetch(url).then(
        () => true,
        () => false,
      );
  })();
  await waitFor(() => answers, "the balancer");
  await asking;
  return {
    url,
    async stop() {
      child.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
