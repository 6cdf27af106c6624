import { applyOne, type Operation } from "../client/apply/index.ts";
import { deckFile } from "../folder/layout.ts";
import { type DeckUpdate, newId } from "../schema/index.ts";
import { templateOf } from "../transfer/formats/documents.ts";
import { deckText, templateText } from "../transfer/formats/markdown/write-files.ts";
import { changedKeys, isSameDeck } from "./deck-doc.ts";
import { writeMatterKey, writeYamlKeys } from "./matter-key.ts";
import { again, done, left, refused, type Sides, unlessUnusable } from "./outcome.ts";
import { docOfDeck } from "./scan-service.ts";
import type { DeckChange, DeckDoc, FolderTemplate, Outcome, TemplateChange } from "./types.ts";

/** Carries out changes of decks and templates; knows which folder is which deck. */
export class DeckApplier {
  /** The ids of new decks by their keys, and the folders of decks by their ids. */
  readonly #ids = new Map<string, string>();
  readonly #folders = new Map<string, string>();
  readonly #sides: Sides;

  constructor(sides: Sides) {
    this.#sides = sides;
    for (const { id, path } of sides.scan.decks.values()) if (id !== undefined) this.#folders.set(id, path);
  }

  /** The id of a deck by its key; undefined for a folder that could not become one. */
  idOf(key: string): string | undefined {
    return key.startsWith("new:") ? this.#ids.get(key) : key;
  }

  folderOf(id: string): string | undefined {
    return this.#folders.get(id);
  }

  /** Decks come after those above them. */
  apply(change: DeckChange | TemplateChange): Promise<Outcome> {
    return unlessUnusable(change.thing === "template" ? this.#template(change) : this.#deck(change));
  }

  async #deck(change: DeckChange): Promise<Outcome> {
    const { op, side, id, path } = change;
    const parent = change.to.parent === null ? null : this.idOf(change.to.parent);
    if (parent === undefined) return left("the deck above it could not be created");
    const to: DeckDoc = { ...change.to, parent };
    if (id === undefined) return this.#create(change, to);
    this.#folders.set(id, path);
    if (op === "update" && side !== "service") await this.#place(change, id, to);
    const place = this.#folders.get(id) ?? path;
    const { name } = to;
    if (op === "update" && name !== this.#sides.service.decks.get(id)?.doc.name)
      this.#sides.state.begin([{ op: "rename-deck", id, name }]);
    // Before the service: else a sync that ends in between finds the old name in the file, and takes it for an edit.
    if (op !== "record" && !(await this.#writeFile(id, place, change))) return again;
    if (op === "update" && side !== "folder") {
      const sent = await this.#push(id, to);
      if (sent.state !== "done") return sent;
    }
    this.#sides.state.keepDeck({ id, path: place, doc: to });
    return done;
  }

  async #create(change: DeckChange, to: DeckDoc): Promise<Outcome> {
    const { client, state, step, signal } = this.#sides;
    const { path } = change;
    await step(`create the deck ${path}`);
    if (await this.#isThere(to)) return again;
    const { parent, name, ...settings } = to;
    const body = { name, ...(parent === null ? {} : { "parent-id": parent }), ...settings };
    const operation: Operation = { kind: "decks.create", id: newId(), body };
    let numbers: readonly number[] = [];
    const beforeSend = () => {
      numbers = state.begin([{ op: "create-deck", id: operation.id, path, name, parent }]);
    };
    const outcome = await applyOne({ operation, tag: undefined }, { client, signal, beforeSend });
    if (outcome.state === "refused") {
      state.end(...numbers);
      return left(outcome.error.message, outcome.error.hint);
    }
    const { id } = outcome;
    state.keepDeck({ id, path, doc: to });
    state.end(...numbers);
    this.#ids.set(`new:${path}`, id);
    this.#folders.set(id, path);
    return (await this.#writeFile(id, path, change)) ? done : again;
  }

  /** Whether a deck was created since the scan, by another machine that syncs the same new folder. */
  async #isThere({ name, parent }: DeckDoc): Promise<boolean> {
    const { client, service } = this.#sides;
    for (const deck of await client.decks.all()) {
      if (deck.name !== name || service.decks.has(deck.id) || this.#folders.has(deck.id)) continue;
      const { "parent-id": above = null } = await client.decks.get(deck.id);
      if (above === parent) return true;
    }
    return false;
  }

  async #push(id: string, to: DeckDoc): Promise<Outcome> {
    const { client, step, service } = this.#sides;
    await step(`compare the deck ${id}`);
    const deck = await client.decks.get(id);
    const [now, before] = [docOfDeck(deck), service.decks.get(id)?.doc];
    if (before === undefined || !isSameDeck(now, before)) return again;
    const changed = changedKeys(now, to).map((key) => [
      key === "parent" ? "parent-id" : key,
      to[key] ?? null,
    ]);
    if (changed.length === 0) return done;
    const changes: DeckUpdate = Object.fromEntries(changed);
    try {
      await step(`update the deck ${id}`);
      await client.decks.update(id, changes);
      return done;
    } catch (error) {
      return refused(error);
    }
  }

  /** Moves the folder of a deck that was moved on the service, where its new place is known and free. */
  async #place({ path, folder: scanned, to }: DeckChange, id: string, { parent }: DeckDoc): Promise<void> {
    const { folder, state, step } = this.#sides;
    const known = state.decks.get(id);
    const above = parent === null ? "" : this.#folders.get(parent);
    if (scanned === undefined || known?.doc.parent === to.parent || above === undefined) return;
    const name = path.slice(path.lastIndexOf("/") + 1);
    const target = above === "" ? name : `${above}/${name}`;
    if (target === path) return;
    await step(`move the folder ${path}`);
    if (folder.move(path, target)) this.#folders.set(id, target);
  }

  /** Writes the `deck.yaml` of a deck. @returns false if the one that is there was changed meanwhile */
  async #writeFile(id: string, path: string, { folder: scanned, to }: DeckChange): Promise<boolean> {
    const { client, folder } = this.#sides;
    const file = `${path}/${deckFile}`;
    const current = folder.read(file);
    if (current === undefined) {
      const text = deckText(await client.decks.get(id), path.startsWith("_"));
      return (await folder.write({ path: file, content: text })) !== undefined;
    }
    if (scanned?.hash !== undefined && current.hash !== scanned.hash) return false;
    const before = current.bytes.toString("utf8");
    const had: DeckDoc = { ...scanned?.settings, name: to.name, parent: to.parent };
    const changed = changedKeys(had, to).map((key) => [key, to[key]]);
    const content = writeYamlKeys(before, { name: to.name, id, ...Object.fromEntries(changed) });
    return (
      content === before ||
      (await folder.write({ path: file, content, expected: current.hash })) !== undefined
    );
  }

  async #template({ side, path, id, template }: TemplateChange): Promise<Outcome> {
    const { client, folder, step } = this.#sides;
    if (!("document" in template)) {
      const written = await folder.write({ path, content: templateText(template) });
      return written === undefined ? again : done;
    }
    if (side === "none") return this.#nameTemplate(template, id ?? "");
    const { body } = templateOf(template.document, path, path, () => {});
    await step(`create the template of ${path}`);
    return this.#nameTemplate(template, (await client.templates.create(body)).id);
  }

  /** Writes the id of a template into its file. */
  async #nameTemplate({ path, hash }: FolderTemplate, id: string): Promise<Outcome> {
    const { folder } = this.#sides;
    const current = folder.read(path);
    if (current?.hash !== hash) return again;
    const content = writeMatterKey(current.bytes.toString("utf8"), "id", id);
    return (await folder.write({ path, content, expected: hash })) === undefined ? again : done;
  }
}
