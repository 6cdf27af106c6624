import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer as createHttpServer, type IncomingMessage } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, createServer, type Server as NetServer, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { program } from "../support/cli.ts";
import { sendJson } from "../support/fake-service.ts";
import { temporaryFolder } from "../support/folder.ts";
import { exitCodeOf, runProcess } from "../support/run-process.ts";

const trusted = "test/fixtures/tls/cards-example.pem";

async function listening(server: NetServer): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** The service at https://cards.example, which nothing but the proxy can find. */
async function farService() {
  const requests: IncomingMessage[] = [];
  const key = readFileSync("test/fixtures/tls/cards-example-key.pem");
  const server = createTlsServer({ key, cert: readFileSync(trusted) }, (request, response) => {
    requests.push(request);
    sendJson(response, 200, { docs: [{ id: "abc", name: "Far away", sort: 1 }], bookmark: "nil" });
  });
  return { requests, port: await listening(server) };
}

/** A proxy that knows where cards.example is. */
async function proxyTo(port: number, answer = "200 OK") {
  const asked: IncomingMessage[] = [];
  const sent: Buffer[] = [];
  const server = createHttpServer((_request, response) => void response.writeHead(400).end());
  server.on("connect", (request: IncomingMessage, client: Socket) => {
    asked.push(request);
    client.on("error", () => {});
    if (!answer.startsWith("200")) return client.end(`HTTP/1.1 ${answer}\r\ncontent-length: 0\r\n\r\n`);
    const service = connect(port, "127.0.0.1");
    service.on("error", () => client.destroy());
    client.write(`HTTP/1.1 ${answer}\r\n\r\n`);
    client.on("data", (bytes: Buffer) => sent.push(bytes));
    client.pipe(service).pipe(client);
  });
  return { asked, sent: () => Buffer.concat(sent).toString("latin1"), port: await listening(server) };
}

/** Takes connections, and never says a word. */
const createSilentServer = () => createServer((socket) => void socket.on("error", () => {}));

const environment = (): NodeJS.ProcessEnv => ({
  DECKHAND_HOME: temporaryFolder(),
  DECKHAND_BASE_URL: "https://cards.example/api",
  DECKHAND_API_KEY: "s3cret-key",
  DECKHAND_RETRIES: "0",
  NODE_EXTRA_CA_CERTS: trusted,
});

const run = (args: readonly string[], env: NodeJS.ProcessEnv) =>
  runProcess([program, ...args], { ...environment(), ...env });

describe("a proxy", () => {
  it("that HTTPS_PROXY names passes everything on, and sees neither key nor path", async () => {
    const service = await farService();
    const proxy = await proxyTo(service.port);
    const ran = await run(["decks", "list", "--columns", "name"], {
      HTTPS_PROXY: `http://ada:p%40ss@127.0.0.1:${proxy.port}`,
    });
    expect(ran).toMatchObject({ code: 0, stdout: "Far away\n", stderr: "" });
    expect(service.requests.map(({ url }) => url)).toEqual(["/api/decks"]);
    expect(proxy.asked.map(({ url }) => url)).toEqual(["cards.example:443"]);
    const [asked] = proxy.asked;
    expect(asked?.headers["proxy-authorization"]).toBe(`Basic ${btoa("ada:p@ss")}`);
    expect(asked?.headers.authorization).toBeUndefined();
    expect(proxy.sent()).not.toMatch(/s3cret|api\/decks/);
  });

  it.each([
    ["407 Proxy Authentication Required", /it answered 407/, /a user and a password/],
    ["403 Forbidden", /it answered 403/, /NO_PROXY/],
    ["503 Service Unavailable", /it answered 503/, /NO_PROXY/],
  ])("that refuses with %s is an error without its password", async (answer, message, hint) => {
    const proxy = await proxyTo(0, answer);
    const { code, stdout, stderr } = await run(["decks", "list"], {
      https_proxy: `http://ada:s3cret-too@127.0.0.1:${proxy.port}`,
    });
    expect([code, stdout]).toEqual([8, ""]);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(hint);
    expect(stderr).toContain(`127.0.0.1:${proxy.port}`);
    expect(stderr).not.toContain("s3cret");
  });

  it("is asked for an address of IPv6 in brackets", async () => {
    const proxy = await proxyTo(0, "503 Service Unavailable");
    await run(["decks", "list"], {
      DECKHAND_BASE_URL: "https://[2001:db8::1]/api",
      HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
    });
    expect(proxy.asked.map(({ url }) => url)).toEqual(["[2001:db8::1]:443"]);
  });

  it("that does not answer does not delay an interruption", async () => {
    const silent = createSilentServer();
    const child = spawn(process.execPath, [program, "decks", "list"], {
      env: { ...environment(), HTTPS_PROXY: `http://127.0.0.1:${await listening(silent)}` },
    });
    await once(silent, "connection");
    const interrupted = performance.now();
    child.kill("SIGINT");
    expect(await exitCodeOf(child)).toBe(130);
    expect(performance.now() - interrupted).toBeLessThan(5000);
  });

  it("that closes its connections is asked once for each attempt", async () => {
    let connections = 0;
    const closing = createServer((socket) => {
      connections++;
      socket.on("error", () => {});
      socket.once("data", () => socket.destroy());
    });
    const { code, stderr } = await run(["decks", "list"], {
      HTTPS_PROXY: `127.0.0.1:${await listening(closing)}`,
      DECKHAND_RETRIES: "1",
      DECKHAND_TIMEOUT: "2s",
    });
    expect([code, connections]).toEqual([8, 2]);
    expect(stderr).toContain("no connection through the proxy");
  });

  it("that does not exist is an error that names the variables", async () => {
    const { code, stderr } = await run(["decks", "list"], { ALL_PROXY: "127.0.0.1:1" });
    expect(code).toBe(8);
    expect(stderr).toContain("no connection through the proxy 127.0.0.1:1 (ECONNREFUSED)");
  });

  it.each(["http://user:s3cret@", "http://user:s3cret%zz@host:1080"])(
    "that cannot be used is refused before anything is sent: %s",
    async (proxy) => {
      const { code, stderr } = await run(["decks", "list"], { HTTPS_PROXY: proxy });
      expect(code).toBe(3);
      expect(stderr).toMatch(/HTTPS_PROXY does not name a proxy/);
      expect(stderr).not.toContain("s3cret");
    },
  );
});

describe("whether a proxy is used", () => {
  it.each([
    { HTTPS_PROXY: "?", NO_PROXY: "*" },
    { HTTPS_PROXY: "?", NO_PROXY: "other, Cards.Example" },
    { HTTPS_PROXY: "?", no_proxy: ".example" },
    { HTTPS_PROXY: "", http_proxy: "?" },
    { DECKHAND_BASE_URL: "https://localhost:1", HTTPS_PROXY: "?" },
    { DECKHAND_BASE_URL: "http://127.0.0.1:1", HTTP_PROXY: "?", ALL_PROXY: "?" },
  ])("%o goes without", async (env: Record<string, string>) => {
    const proxy = await proxyTo(0, "503 Service Unavailable");
    await run(["decks", "list"], withProxy(env, proxy.port));
    expect(proxy.asked).toHaveLength(0);
  });

  it.each([
    { HTTPS_PROXY: "http://127.0.0.1:1", https_proxy: "?" },
    { ALL_PROXY: "?" },
    { HTTPS_PROXY: "?", NO_PROXY: "ards.example, cards.example:8443" },
  ])("%o goes through it", async (env: Record<string, string>) => {
    const proxy = await proxyTo(0, "503 Service Unavailable");
    await run(["decks", "list"], withProxy(env, proxy.port));
    expect(proxy.asked).toHaveLength(1);
  });

  const withProxy = (env: Record<string, string>, port: number) =>
    Object.fromEntries(
      Object.entries(env).map(([name, value]) => [name, value === "?" ? `127.0.0.1:${port}` : value]),
    );
});
