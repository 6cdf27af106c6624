import type { Operation } from "../client/apply/index.ts";
import type { Client } from "../client/index.ts";
import { UsageError } from "../errors.ts";
import { deckFile, templatesFolder } from "../folder/layout.ts";
import type { FolderWriter } from "../folder/writer.ts";
import type { DeckUpdate, Template } from "../schema/index.ts";
import { newId } from "../schema/index.ts";
import { templateOf } from "../transfer/formats/documents.ts";
import { deckText, templateFileName, templateText } from "../transfer/formats/markdown/write-files.ts";
import { writeMatterKey, writeYamlKeys } from "./matter-key.ts";
import { again, done, left, refused } from "./outcome.ts";
import type { DeckItem } from "./plan-decks.ts";
import { applyOne } from "./recover.ts";
import type { FolderTemplate } from "./scan-folder.ts";
import type { ServiceDeck } from "./scan-service.ts";
import type { State } from "./state.ts";
import type { Agreed, Outcome } from "./types.ts";

interface DeckApplyOptions {
  readonly client: Client;
  readonly folder: FolderWriter<Agreed>;
  readonly state: State;
  /** The decks of the service as they were scanned. */
  readonly scanned: ReadonlyMap<string, ServiceDeck>;
  readonly step: (effect: string) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

/** Carries out items of the plan for decks and templates; knows which folder is which deck. */
export class DeckApplier {
  /** The ids of decks by their keys, and the folders of decks by their ids. */
  readonly ids = new Map<string, string>();
  readonly folders = new Map<string, string>();
  readonly #options: DeckApplyOptions;

  constructor(options: DeckApplyOptions) {
    this.#options = options;
  }

  /** Decks are in the plan after those above them. */
  async apply(item: DeckItem): Promise<Outcome> {
    try {
      return await this.#carryOut(item);
    } catch (error) {
      if (error instanceof UsageError) return left(error.message, error.hint);
      throw error;
    }
  }

  async #carryOut(item: DeckItem): Promise<Outcome> {
    const { state } = this.#options;
    const parent = item.parent === null ? null : (this.ids.get(item.parent) ?? item.parent);
    const { id, path, name } = item;
    if (id !== undefined) {
      this.ids.set(id, id);
      this.folders.set(id, path);
    }
    if (item.kind === "left-deck") return done;
    if (item.kind === "create-deck") return this.#create(item, parent);
    if (id === undefined) return done;
    if (item.kind === "pull-deck" && !(await this.#place(item, parent))) return again;
    const place = this.folders.get(id) ?? path;
    // Before the service: else a sync that ends in between finds the old name in the file, and takes it for an edit.
    if (item.kind !== "adopt-deck" && !(await this.#writeFile(id, place, item))) return again;
    if (item.kind === "push-deck") {
      const sent = await this.#push(id, name, parent);
      if (sent.state !== "done") return sent;
    }
    state.keepDeck({ id, path: place, name, parent });
    return done;
  }

  /** Creates a template of a file without an id, and writes the id into it. */
  async createTemplate(template: FolderTemplate): Promise<Outcome> {
    const { client, folder, step } = this.#options;
    const { body } = templateOf(template.document, template.path, template.path, () => {});
    await step(`create the template of ${template.path}`);
    const created = await client.templates.create(body).send();
    return this.nameTemplate(template, created.id, folder);
  }

  async nameTemplate(template: FolderTemplate, id: string, folder = this.#options.folder): Promise<Outcome> {
    const current = folder.read(template.path);
    if (current?.hash !== template.hash) return again;
    const text = writeMatterKey(current.bytes.toString("utf8"), "id", id);
    return (await folder.write({ path: template.path, content: text, expected: current.hash })) === undefined
      ? again
      : done;
  }

  /** @returns whether there was no such file, and it was written */
  async writeTemplate(template: Template): Promise<boolean> {
    const { folder } = this.#options;
    const path = `${templatesFolder}/${templateFileName(template)}`;
    return (
      !folder.exists(path) && (await folder.write({ path, content: templateText(template) })) !== undefined
    );
  }

  async #create(item: DeckItem, parent: string | null): Promise<Outcome> {
    const { client, state, step, signal } = this.#options;
    const { path, name } = item;
    if (parent?.startsWith("new:")) return { state: "left", note: "the deck above it could not be created" };
    await step(`create the deck ${path}`);
    if (await this.#isThere(name, parent)) return again;
    const body = { name, ...(parent === null ? {} : { "parent-id": parent }) };
    const operation: Operation = { kind: "decks.create", id: newId(), body };
    let numbers: readonly number[] = [];
    const beforeSend = () => {
      numbers = state.begin([{ op: "create-deck", id: operation.id, path, name, parent }]);
    };
    const outcome = await applyOne(operation, {
      client,
      signal: signal ?? new AbortController().signal,
      beforeSend,
    });
    if (outcome.state === "refused") {
      state.end(...numbers);
      return left(outcome.error.message, outcome.error.hint);
    }
    const { id } = outcome;
    state.keepDeck({ id, path, name, parent });
    state.end(...numbers);
    this.ids.set(`new:${path}`, id);
    this.ids.set(id, id);
    this.folders.set(id, path);
    return (await this.#writeFile(id, path, item)) ? done : again;
  }

  /** Whether a deck was created since the scan, by another machine that syncs the same new folder. */
  async #isThere(name: string, parent: string | null): Promise<boolean> {
    const { client, scanned } = this.#options;
    for (const deck of await client.decks.all()) {
      if (deck.name !== name || scanned.has(deck.id) || this.ids.has(deck.id)) continue;
      const { "parent-id": above = null } = await client.decks.get(deck.id).send();
      if (above === parent) return true;
    }
    return false;
  }

  async #push(id: string, name: string, parent: string | null): Promise<Outcome> {
    const { client, step, scanned } = this.#options;
    await step(`compare the deck ${id}`);
    const deck = await client.decks.get(id).send();
    const before = scanned.get(id);
    const above = deck["parent-id"] ?? null;
    if (deck.name !== before?.name || above !== before?.parent) return again;
    const changes: DeckUpdate = {
      ...(deck.name === name ? {} : { name }),
      ...(above === parent ? {} : { "parent-id": parent }),
    };
    if (Object.keys(changes).length === 0) return done;
    try {
      await step(`update the deck ${id}`);
      await client.decks.update(id, changes).send();
      return done;
    } catch (error) {
      return refused(error);
    }
  }

  /** Moves the folder of a deck that was moved on the service. */
  async #place({ id, path, parent: wanted }: DeckItem, parent: string | null): Promise<boolean> {
    const { folder, state, step } = this.#options;
    const known = id === undefined ? undefined : state.decks.get(id);
    if (id === undefined || known === undefined || known.parent === wanted) return true;
    const above = parent === null ? "" : this.folders.get(parent);
    if (above === undefined) return true;
    const name = path.slice(path.lastIndexOf("/") + 1);
    const target = above === "" ? name : `${above}/${name}`;
    if (target === path) return true;
    await step(`move the folder ${path}`);
    if (folder.move(path, target)) this.folders.set(id, target);
    return true;
  }

  /** Writes the `deck.yaml` of a deck. @returns false if the one that is there was changed meanwhile */
  async #writeFile(id: string, path: string, { folder: scanned, name }: DeckItem): Promise<boolean> {
    const { client, folder } = this.#options;
    const file = `${path}/${deckFile}`;
    const current = folder.read(file);
    if (current === undefined) {
      const text = deckText(await client.decks.get(id).send(), path.startsWith("_"));
      return (await folder.write({ path: file, content: text })) !== undefined;
    }
    if (scanned?.hash !== undefined && current.hash !== scanned.hash) return false;
    const before = current.bytes.toString("utf8");
    const text = writeYamlKeys(before, { name, id });
    return (
      text === before ||
      (await folder.write({ path: file, content: text, expected: current.hash })) !== undefined
    );
  }
}
