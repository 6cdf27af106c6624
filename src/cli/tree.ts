import type { Command } from "commander";
import type { StartContext } from "../context/context.ts";

/** Builds a command: declares its options and arguments. Its action starts a context and runs. */
export type CommandBuilder = (start: StartContext) => Command;

type Module = Readonly<Record<string, unknown>>;

export interface VerbEntry {
  readonly about: string;
  readonly hidden?: boolean;
  /** The module of the command. It exports a builder: `listCommand` for the verb `list`. */
  readonly load?: () => Promise<Module>;
}

/** The groups of the program's help, in its order. */
export const groups = ["Study", "Cards and decks", "Collections", "Account", "Tools"] as const;

export interface NounEntry extends VerbEntry {
  readonly group: (typeof groups)[number];
  readonly verbs?: { readonly [verb: string]: VerbEntry };
  /** Runs when no verb is named. It is hidden: help shows it under the name of the noun. */
  readonly defaultVerb?: string;
}

export type CommandTree = { readonly [noun: string]: NounEntry };

type Load = () => Promise<Module>;
type Group = NounEntry["group"];

const verb = (about: string, load: Load): VerbEntry => ({ about, load });

const leaf = (group: Group, about: string, load: Load): NounEntry => ({ group, about, load });

/** A command with verbs; help shows the default one under the name of the noun. */
const noun = (
  group: Group,
  about: string,
  verbs: Readonly<Record<string, VerbEntry>>,
  defaultVerb?: string,
): NounEntry => {
  const own = defaultVerb === undefined ? undefined : verbs[defaultVerb];
  if (defaultVerb === undefined || own === undefined) return { group, about, verbs };
  return { group, about, defaultVerb, verbs: { ...verbs, [defaultVerb]: { ...own, hidden: true } } };
};

/** Every command, by name. Nothing is loaded until it runs: a help page of a noun needs only these sentences. */
export const commandTree: CommandTree = {
  review: leaf("Study", "Review the cards that are due", () => import("../commands/due/review.ts")),
  due: noun(
    "Study",
    "Show what there is to do today; the review log",
    {
      summary: verb("Show what there is to do today", () => import("../commands/due/summary.ts")),
      list: verb("List the cards that are due", () => import("../commands/due/list.ts")),
      review: verb("Review the cards that are due", () => import("../commands/due/review.ts")),
      answer: verb("Record answers without a session", () => import("../commands/due/answer.ts")),
      set: verb("Set when cards are due", () => import("../commands/due/set.ts")),
      forget: verb("Make cards new again", () => import("../commands/due/set.ts")),
      undo: verb("Take back the last answer, set or forget", () => import("../commands/due/undo.ts")),
      log: verb("Show the answers recorded on this machine", () => import("../commands/due/log.ts")),
      sync: verb("Send pending answers to the service", () => import("../commands/due/sync.ts")),
    },
    "summary",
  ),
  add: leaf("Study", "Add a card: front and back", () => import("../commands/add.ts")),
  stats: leaf("Study", "Show statistics of your reviews", () => import("../commands/stats/stats.ts")),
  schedule: noun("Study", "The parameters by which due dates are computed", {
    show: verb("Show the parameters", () => import("../commands/schedule/parameters.ts")),
    train: verb("Learn the parameters from your reviews", () => import("../commands/schedule/parameters.ts")),
    apply: verb("Compute due dates again", () => import("../commands/schedule/parameters.ts")),
    forecast: verb("Forecast the work of a year", () => import("../commands/schedule/forecast.ts")),
    reset: verb("Go back to the default parameters", () => import("../commands/schedule/parameters.ts")),
  }),
  demo: leaf("Study", "Try a sample collection", () => import("../commands/demo.ts")),
  cards: noun("Cards and decks", "List, read, create, change and remove cards", {
    list: verb("List cards", () => import("../commands/cards/list.ts")),
    get: verb("Show cards", () => import("../commands/cards/get.ts")),
    search: verb("Search all cards", () => import("../commands/cards/search.ts")),
    create: verb("Create a card", () => import("../commands/cards/create.ts")),
    update: verb("Change cards", () => import("../commands/cards/update.ts")),
    edit: verb("Edit a card in your editor", () => import("../commands/cards/edit.ts")),
    move: verb("Move cards to another deck", () => import("../commands/cards/move.ts")),
    archive: verb("Archive cards", () => import("../commands/cards/move.ts")),
    unarchive: verb("Unarchive cards", () => import("../commands/cards/move.ts")),
    trash: verb("Move cards to the trash", () => import("../commands/cards/move.ts")),
    restore: verb("Restore cards from the trash", () => import("../commands/cards/move.ts")),
    delete: verb("Delete cards permanently", () => import("../commands/cards/move.ts")),
  }),
  decks: noun("Cards and decks", "List, read, create, change and remove decks", {
    list: verb("List decks", () => import("../commands/decks/list.ts")),
    get: verb("Show decks with their card counts", () => import("../commands/decks/get.ts")),
    create: verb("Create a deck", () => import("../commands/decks/write.ts")),
    update: verb("Change decks", () => import("../commands/decks/write.ts")),
    archive: verb("Archive decks", () => import("../commands/decks/delete.ts")),
    unarchive: verb("Unarchive decks", () => import("../commands/decks/delete.ts")),
    trash: verb("Move decks to the trash", () => import("../commands/decks/delete.ts")),
    restore: verb("Restore decks from the trash", () => import("../commands/decks/delete.ts")),
    delete: verb("Delete decks permanently", () => import("../commands/decks/delete.ts")),
  }),
  templates: noun("Cards and decks", "List, read, create, change and delete templates", {
    list: verb("List templates", () => import("../commands/templates/write.ts")),
    get: verb("Show templates", () => import("../commands/templates/write.ts")),
    create: verb("Create a template", () => import("../commands/templates/create.ts")),
    update: verb("Change a template", () => import("../commands/templates/write.ts")),
    delete: verb("Delete templates that no card uses", () => import("../commands/templates/write.ts")),
  }),
  attach: noun("Cards and decks", "List, add, get and remove the files of a card", {
    list: verb("List the files of a card", () => import("../commands/attach/files.ts")),
    add: verb("Store files on a card", () => import("../commands/attach/files.ts")),
    get: verb("Fetch a file of a card", () => import("../commands/attach/files.ts")),
    remove: verb("Remove files from a card", () => import("../commands/attach/files.ts")),
  }),
  tags: noun("Cards and decks", "List, rename and remove tags", {
    list: verb("List tags with their counts", () => import("../commands/tags.ts")),
    rename: verb("Rename a tag on all cards", () => import("../commands/tags.ts")),
    remove: verb("Remove tags from all cards", () => import("../commands/tags.ts")),
  }),
  trash: noun("Cards and decks", "List and empty the trash", {
    list: verb("List what is in the trash", () => import("../commands/trash.ts")),
    empty: verb("Delete it permanently", () => import("../commands/trash.ts")),
  }),
  import: noun(
    "Collections",
    "Import cards from a file or folder",
    {
      run: verb("Import cards from a file or folder", () => import("../commands/import/run.ts")),
      undo: verb("Take an import back", () => import("../commands/import/undo.ts")),
      list: verb("List the last imports", () => import("../commands/import/undo.ts")),
    },
    "run",
  ),
  notes: noun(
    "Collections",
    "Folders of notes whose cards are learned: list and forget",
    {
      list: verb("List the folders that are followed", () => import("../commands/notes/list.ts")),
      forget: verb("Stop following a folder", () => import("../commands/notes/list.ts")),
    },
    "list",
  ),
  export: leaf("Collections", "Export cards to a file or folder", () => import("../commands/export.ts")),
  sync: noun(
    "Collections",
    "Keep a folder of markdown and your cards the same",
    {
      run: verb("Sync a folder, in both directions", () => import("../commands/sync/run.ts")),
      status: verb("Show what a sync would do", () => import("../commands/sync/status.ts")),
    },
    "run",
  ),
  backup: noun(
    "Collections",
    "Back up the local collection, and restore it",
    {
      create: verb("Write a backup", () => import("../commands/backup/create.ts")),
      list: verb("List the automatic backups", () => import("../commands/backup/list.ts")),
      verify: verb("Verify a backup", () => import("../commands/backup/list.ts")),
      restore: verb("Restore a backup", () => import("../commands/backup/restore.ts")),
    },
    "create",
  ),
  auth: noun("Account", "Log in to accounts, and choose one", {
    login: verb("Save an account's address and key", () => import("../commands/auth/login.ts")),
    logout: verb("Remove an account's key", () => import("../commands/auth/accounts.ts")),
    status: verb("Show the account in use, and test it", () => import("../commands/auth/accounts.ts")),
    list: verb("List the accounts", () => import("../commands/auth/accounts.ts")),
    use: verb("Set the default account", () => import("../commands/auth/accounts.ts")),
  }),
  config: noun("Account", "Read and change settings", {
    list: verb("List the settings and where each comes from", () => import("../commands/config.ts")),
    get: verb("Print a setting", () => import("../commands/config.ts")),
    set: verb("Change a setting", () => import("../commands/config.ts")),
    unset: verb("Reset a setting to its default", () => import("../commands/config.ts")),
    path: verb("Print the paths of files and folders", () => import("../commands/config.ts")),
  }),
  api: leaf("Tools", "Send one raw request", () => import("../commands/api.ts")),
  serve: noun(
    "Tools",
    "Run the local service on a port",
    {
      run: verb("Run the local service on a port", () => import("../commands/serve/run.ts")),
      key: verb("Add, list and remove the service's keys", () => import("../commands/serve/key.ts")),
      account: verb(
        "Set the time zone of an account, and when its days begin",
        () => import("../commands/serve/account.ts"),
      ),
      migrate: verb("Bring the service's tables up to date", () => import("../commands/serve/copy.ts")),
      copy: verb("Copy all accounts to a database, or back", () => import("../commands/serve/copy.ts")),
    },
    "run",
  ),
  mcp: leaf(
    "Tools",
    "Serve agents over the Model Context Protocol",
    () => import("../commands/mcp/serve.ts"),
  ),
  completion: leaf("Tools", "Print a shell completion script", () => import("../commands/completion.ts")),
  check: leaf("Tools", "Verify the local collection", () => import("../commands/check.ts")),
  doctor: leaf("Tools", "Check the installation", () => import("../commands/doctor.ts")),
  version: leaf("Tools", "Print the version", () => import("../commands/version.ts")),
};
