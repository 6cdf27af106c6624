import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Application, type ApplicationOptions, openApplication } from "../../src/service/app.ts";
import { type ServerOptions, startServer } from "../../src/service/server.ts";
import { openStore, type Store } from "../../src/service/store/index.ts";
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
  const database = await databaseOf(folder);
  const application = await openApplication({ now: Date.now, keyDelay: 0, database, ...options, folder });
  onTestFinished(() => application.close());
  return Object.assign(application, { folder, key: await application.keys.add("default") });
}

const databases = new Map<string, string>();

/** The database that takes the place of the one in a folder, empty at first; undefined where SQLite is tested. */
async function databaseOf(folder: string): Promise<{ url: string } | undefined> {
  if (!onPostgres) return undefined;
  const known = databases.get(folder);
  if (known !== undefined) return { url: known };
  const url = await takeDatabase();
  databases.set(folder, url);
  onTestFinished(async () => {
    databases.delete(folder);
    await giveDatabase(url);
  });
  return { url };
}

/** Opens the store of an application beside it. */
export async function openTestStore({ folder }: { readonly folder: string }): Promise<Store> {
  const database = await databaseOf(folder);
  const store = await openStore(database ? { database } : { folder: join(folder, "service") });
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
