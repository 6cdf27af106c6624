import { onTestFinished } from "vitest";
import { type Application, type ApplicationOptions, openApplication } from "../../src/service/app.ts";
import { type DataPlace, storePlace } from "../../src/service/place.ts";
import { type ServerOptions, startServer } from "../../src/service/server.ts";
import { openStore, type Store } from "../../src/service/store/index.ts";
import { takePrefix } from "./bucket.ts";
import { temporaryFolder } from "./folder.ts";
import { giveDatabase, onPostgres, takeDatabase } from "./postgres.ts";

export { temporaryFolder } from "./folder.ts";
export { onPostgres } from "./postgres.ts";

export interface TestApplication extends Application {
  readonly folder: string;
  /** A key of the account `default`. */
  readonly key: string;
}

/** The real service on a folder of its own, both gone when the test is over. Wrong keys are answered at once. */
export async function openTestApplication(
  options: Partial<ApplicationOptions> = {},
): Promise<TestApplication> {
  const folder = options.folder ?? temporaryFolder();
  const place = await testPlace(folder);
  const application = await openApplication({ now: Date.now, keyDelay: 0, ...place, ...options, folder });
  onTestFinished(() => application.close());
  return Object.assign(application, { folder, key: await application.keys.add("default") });
}

/** Whether this run of the tests is about attachments in a bucket. */
const inBucket = process.env["DECKHAND_TEST_BLOBS"] === "bucket";

const places = new Map<string, DataPlace>();

/** The place of a folder: a database takes that of the one in it, empty at first, where this run is about PostgreSQL. */
export async function testPlace(folder: string): Promise<DataPlace> {
  if (!onPostgres) return { folder };
  const known = places.get(folder);
  if (known !== undefined) return known;
  const url = await takeDatabase();
  const place = { folder, database: { url }, bucket: inBucket ? takePrefix() : undefined };
  places.set(folder, place);
  onTestFinished(async () => {
    places.delete(folder);
    await giveDatabase(url);
  });
  return place;
}

/** Opens the store of an application beside it. */
export async function openTestStore({ folder }: { readonly folder: string }): Promise<Store> {
  const store = await openStore(storePlace(await testPlace(folder)));
  onTestFinished(() => store.close());
  return store;
}

export interface TestServer {
  readonly url: string;
  readonly key: string;
  readonly application: TestApplication;
  close(): Promise<void>;
}

/** The real service on a free port, gone when the test is over. */
export async function startTestServer(
  options: Partial<ApplicationOptions> = {},
  serverOptions: Partial<ServerOptions> = {},
): Promise<TestServer> {
  const application = await openTestApplication(options);
  const server = await startServer(application, { host: "127.0.0.1", port: 0, ...serverOptions });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= server.close();
    return closed;
  };
  onTestFinished(close);
  return { url: server.url, key: application.key, application, close };
}
