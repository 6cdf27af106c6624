import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Client } from "../../src/client/index.ts";
import type { Card } from "../../src/schema/index.ts";
import { type SyncOptions, syncFolders } from "../../src/sync/sync.ts";
import type { SyncResult } from "../../src/sync/types.ts";
import { temporaryFolder } from "../support/service.ts";
import { emptyAccount } from "../transfer/support.ts";

/** A folder, an account and a machine's state of both. */
export interface Synced {
  readonly client: Client;
  readonly root: string;
  sync(options?: Partial<SyncOptions>): Promise<SyncResult>;
  options(): SyncOptions;
  write(path: string, text: string): void;
  read(path: string): string;
  /** The paths of all files but hidden ones. */
  files(): string[];
  /** The text of all files in the trash of the folder. */
  trash(): string;
  cards(): Promise<Card[]>;
  deck(name: string): Promise<string>;
}

/** A folder of its own, and an account that is empty unless one is given. */
export async function newSynced(given: { client?: Client; root?: string } = {}): Promise<Synced> {
  const client = given.client ?? (await emptyAccount());
  const root = given.root ?? join(temporaryFolder(), "cards");
  const statePath = join(temporaryFolder(), `${randomBytes(6).toString("hex")}.sqlite`);
  return syncedFolder({ client, root, statePath });
}

export interface SyncedFolders {
  readonly client: Client;
  readonly root: string;
  readonly statePath: string;
}

export function syncedFolder({ client, root, statePath }: SyncedFolders): Synced {
  mkdirSync(root, { recursive: true });
  const options = (): SyncOptions => ({
    client,
    root,
    statePath,
    scope: undefined,
    maxDelete: undefined,
    decks: () => decksOf(client),
    approve: async () => undefined,
    now: Date.now,
  });
  return {
    client,
    root,
    options,
    sync: (more = {}) => syncFolders({ ...options(), ...more }),
    write(path, text) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    },
    read: (path) => readFileSync(join(root, path), "utf8"),
    files: () => filesUnder(root),
    trash() {
      const folder = join(root, ".deckhand/trash");
      if (!existsSync(folder)) return "";
      return filesUnder(folder)
        .map((path) => readFileSync(join(folder, path), "utf8"))
        .join("\n");
    },
    cards: async () => {
      const cards: Card[] = [];
      for await (const { docs } of client.cards.pages()) cards.push(...docs);
      return cards.filter((card) => !card["trashed?"]);
    },
    deck: async (name) => (await client.decks.create({ name })).id,
  };
}

export async function decksOf(client: Client) {
  return Promise.all((await client.decks.all()).map(({ id }) => client.decks.get(id)));
}

function filesUnder(root: string, path = ""): string[] {
  return readdirSync(join(root, path), { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith(".")) return [];
    const below = path === "" ? entry.name : `${path}/${entry.name}`;
    return entry.isDirectory() ? filesUnder(root, below) : [below];
  });
}
