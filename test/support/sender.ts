import { join } from "node:path";
import { accountHash } from "../../src/config/account-hash.ts";
import {
  createHttp,
  createNetworkTransport,
  type HttpEvent,
  systemClock,
  Throttle,
} from "../../src/http/index.ts";
import { operations } from "../../src/schema/index.ts";

/** A process that sends requests one after the other, for tests of what several processes do together. */
interface Options {
  readonly baseUrl: string;
  readonly key: string;
  readonly folder: string;
  readonly count: number;
  /** Marks its requests: they ask for `/cards/<name>-<number>`. */
  readonly name: string;
  /** Whether it exits, as by process.exit(), when it gets SIGUSR2. */
  readonly exits?: boolean;
  /** Whether it lists cards instead, which a real service has. */
  readonly lists?: boolean;
}

async function main(options: Options): Promise<void> {
  const say = (line: unknown) => process.stdout.write(`${JSON.stringify(line)}\n`);
  if (options.exits) process.on("SIGUSR2", () => process.exit(0));
  const account = { ...options, kind: "hosted", profile: undefined, keyOrigin: "environment" } as const;
  const http = createHttp({
    transport: await createNetworkTransport({ baseUrl: options.baseUrl }),
    codec: "json",
    key: options.key,
    timeout: 30_000,
    retries: 5,
    throttle: new Throttle({ path: join(options.folder, accountHash(account)), clock: systemClock }),
    userAgent: "deckhand/test",
    clock: systemClock,
    random: Math.random,
    onEvent: (event: HttpEvent) => {
      if (event.type !== "request" && event.type !== "answer") say(event);
    },
  });
  for (let number = 1; number <= options.count; number++) {
    const before = Date.now();
    if (options.lists) await http.call(operations["cards.list"], { query: { limit: 1 } });
    else await http.call(operations["cards.get"], { params: { "card-id": `${options.name}-${number}` } });
    say({ done: number, ms: Date.now() - before, at: Date.now() });
  }
  await http.close();
}

main(JSON.parse(process.argv[2] ?? "{}") as Options).catch((error: unknown) => {
  process.stderr.write(`${error}\n`);
  process.exitCode = 1;
});
