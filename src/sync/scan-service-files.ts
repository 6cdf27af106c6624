import type { Client } from "../client/index.ts";
import type { ServiceFile } from "./types.ts";

/** The attachments of the service, and what it lets a sync do with them. */
export interface ServiceFiles {
  /** Whether it lists attachments with their hashes, and lets them be downloaded; else at most their names are known. */
  readonly lists: boolean;
  /** Whether its cards say which attachments they have. */
  readonly names: boolean;
  /** By the ids of cards; only cards that have attachments. */
  readonly byCard: ReadonlyMap<string, readonly ServiceFile[]>;
}

/** What the cards of the service say about their attachments. */
export interface NamedFiles {
  /** Whether each card says it. */
  readonly known: boolean;
  /** The names, by the ids of cards; only of cards that have attachments. */
  readonly names: ReadonlyMap<string, readonly string[]>;
}

/**
 * Lists the attachments of cards.
 *
 * @param ids the cards that are synced
 * @param needed whether either side has attachments, or had some at the last sync
 */
export async function scanServiceFiles(
  client: Client,
  ids: { has(id: string): boolean },
  { known, names }: NamedFiles,
  needed: boolean,
): Promise<ServiceFiles> {
  const byCard = new Map<string, readonly ServiceFile[]>();
  if (!needed) return { lists: true, names: true, byCard };
  const { service } = client;
  const lists = (await service.has("attachment-list")) && (await service.has("attachment-download"));
  const add = (id: string, file: ServiceFile) => byCard.set(id, [...(byCard.get(id) ?? []), file]);
  if (!lists) for (const [id, each] of names) for (const name of each) add(id, { name, hash: undefined });
  else if (!known || names.size > 0)
    for await (const page of client.attachments.all())
      for (const { "card-id": id, "file-name": name, sha256 } of page)
        if (ids.has(id)) add(id, { name, hash: sha256?.toLowerCase() });
  return { lists, names: known, byCard };
}
