import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./postgres.ts";

export const hasHaproxy = spawnSync("haproxy", ["-v"], { stdio: "ignore" }).status === 0;

export interface Balancer {
  readonly port: number;
  /** For requests. */
  readonly url: string;
  stop(): Promise<void>;
}

/** HAProxy in front of servers: each request goes to the next one, to another one only if it was not taken. */
export function startBalancer(ports: readonly number[]): Promise<Balancer> {
  return startHaproxy((port) => [
    "defaults",
    " mode http",
    " timeout connect 1s\n timeout client 60s\n timeout server 60s",
    " retries 3\n retry-on conn-failure\n option redispatch 1",
    `frontend all\n bind 127.0.0.1:${port}\n default_backend servers`,
    "backend servers\n balance roundrobin\n http-reuse never",
    ...ports.map((each, at) => ` server s${at} 127.0.0.1:${each}`),
  ]);
}

/** HAProxy in front of two database servers: connections go to the second one while the first one is dead. */
export function startDatabaseBalancer(primary: number, standby: number): Promise<Balancer> {
  return startHaproxy((port) => [
    "defaults",
    " mode tcp",
    " timeout connect 1s\n timeout client 60s\n timeout server 60s",
    `listen database\n bind 127.0.0.1:${port}`,
    " default-server inter 100ms fall 2 on-marked-down shutdown-sessions",
    ` server primary 127.0.0.1:${primary} check`,
    ` server standby 127.0.0.1:${standby} check backup`,
  ]);
}

async function startHaproxy(settingsFor: (port: number) => readonly string[]): Promise<Balancer> {
  const folder = mkdtempSync(join(tmpdir(), "deckhand-haproxy-"));
  const port = await freePort();
  const settings = join(folder, "haproxy.cfg");
  writeFileSync(settings, `${settingsFor(port).join("\n")}\n`);
  const child = spawn("haproxy", ["-f", settings, "-db", "-q"], { stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const url = `http://127.0.0.1:${port}`;
  // Before it listens, connections are refused.
  while (child.exitCode === null && !(await isListening(port)));
  return {
    port,
    url,
    async stop() {
      child.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const isListening = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("error", () => resolve(false));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });
