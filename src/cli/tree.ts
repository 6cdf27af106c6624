import type { Command } from "commander";
import type { StartContext } from "../context/context.ts";

/** Builds a command: it only declares options and arguments; its action starts a context and runs. */
export type CommandBuilder = (start: StartContext) => Command;

export interface VerbEntry {
  readonly about: string;
  /** Hidden other names. */
  readonly aliases?: readonly string[];
  readonly hidden?: boolean;
  readonly load?: () => Promise<CommandBuilder>;
}

/** The groups of the program's help, in its order. */
export const groups = ["Study", "Cards and decks", "Collections", "Account", "Tools"] as const;

export interface NounEntry extends VerbEntry {
  readonly group: (typeof groups)[number];
  readonly verbs?: { readonly [verb: string]: VerbEntry };
  /** Runs when no verb is named. */
  readonly defaultVerb?: string;
}

export type CommandTree = { readonly [noun: string]: NounEntry };

/** Every command, by name. Nothing is loaded until it runs: a help page of a noun needs only these sentences. */
export const commandTree: CommandTree = {
  cards: {
    group: "Cards and decks",
    about: "List, read, create, change and remove cards",
    aliases: ["card"],
    verbs: {
      list: {
        about: "List cards",
        aliases: ["ls"],
        load: async () => (await import("../commands/cards/list.ts")).listCommand,
      },
      get: { about: "Show cards", load: async () => (await import("../commands/cards/get.ts")).getCommand },
      search: {
        about: "Search all cards",
        load: async () => (await import("../commands/cards/search.ts")).searchCommand,
      },
      create: {
        about: "Create a card",
        load: async () => (await import("../commands/cards/create.ts")).createCommand,
      },
      update: {
        about: "Change cards",
        load: async () => (await import("../commands/cards/update.ts")).updateCommand,
      },
      edit: {
        about: "Edit a card in your editor",
        load: async () => (await import("../commands/cards/edit.ts")).editCommand,
      },
      move: {
        about: "Move cards to another deck",
        load: async () => (await import("../commands/cards/move.ts")).moveCommand,
      },
      archive: {
        about: "Archive cards",
        load: async () => (await import("../commands/cards/flags.ts")).archiveCommand,
      },
      unarchive: {
        about: "Unarchive cards",
        load: async () => (await import("../commands/cards/flags.ts")).unarchiveCommand,
      },
      trash: {
        about: "Move cards to the trash",
        load: async () => (await import("../commands/cards/flags.ts")).trashCommand,
      },
      restore: {
        about: "Restore cards from the trash",
        load: async () => (await import("../commands/cards/flags.ts")).restoreCommand,
      },
      delete: {
        about: "Delete cards permanently",
        aliases: ["rm"],
        load: async () => (await import("../commands/cards/delete.ts")).deleteCommand,
      },
    },
  },
  decks: {
    group: "Cards and decks",
    about: "List, read, create, change and remove decks",
    aliases: ["deck"],
    verbs: {
      list: {
        about: "List decks",
        aliases: ["ls"],
        load: async () => (await import("../commands/decks/list.ts")).listCommand,
      },
      get: {
        about: "Show decks with their card counts",
        load: async () => (await import("../commands/decks/get.ts")).getCommand,
      },
      create: {
        about: "Create a deck",
        load: async () => (await import("../commands/decks/create.ts")).createCommand,
      },
      update: {
        about: "Change decks",
        load: async () => (await import("../commands/decks/update.ts")).updateCommand,
      },
      archive: {
        about: "Archive decks",
        load: async () => (await import("../commands/decks/flags.ts")).archiveCommand,
      },
      unarchive: {
        about: "Unarchive decks",
        load: async () => (await import("../commands/decks/flags.ts")).unarchiveCommand,
      },
      trash: {
        about: "Move decks to the trash",
        load: async () => (await import("../commands/decks/flags.ts")).trashCommand,
      },
      restore: {
        about: "Restore decks from the trash",
        load: async () => (await import("../commands/decks/flags.ts")).restoreCommand,
      },
      delete: {
        about: "Delete decks permanently",
        aliases: ["rm"],
        load: async () => (await import("../commands/decks/delete.ts")).deleteCommand,
      },
    },
  },
  templates: {
    group: "Cards and decks",
    about: "List, read and create templates",
    aliases: ["template"],
    verbs: {
      list: {
        about: "List templates",
        aliases: ["ls"],
        load: async () => (await import("../commands/templates/list.ts")).listCommand,
      },
      get: {
        about: "Show templates",
        load: async () => (await import("../commands/templates/get.ts")).getCommand,
      },
      create: {
        about: "Create a template",
        load: async () => (await import("../commands/templates/create.ts")).createCommand,
      },
    },
  },
  import: {
    group: "Collections",
    about: "Import cards from a file or folder",
    load: async () => (await import("../commands/import.ts")).importCommand,
  },
  export: {
    group: "Collections",
    about: "Export cards to a file or folder",
    load: async () => (await import("../commands/export.ts")).exportCommand,
  },
  attach: {
    group: "Cards and decks",
    about: "Add, get and remove the files of a card",
    verbs: {
      add: {
        about: "Store files on a card",
        load: async () => (await import("../commands/attach/add.ts")).addCommand,
      },
      get: {
        about: "Fetch a file of a card",
        load: async () => (await import("../commands/attach/get.ts")).getCommand,
      },
      remove: {
        about: "Remove files from a card",
        aliases: ["rm"],
        load: async () => (await import("../commands/attach/remove.ts")).removeCommand,
      },
    },
  },
  due: {
    group: "Study",
    about: "List what is due; the review log",
    defaultVerb: "list",
    verbs: {
      list: {
        about: "List the cards that are due",
        aliases: ["ls"],
        load: async () => (await import("../commands/due/list.ts")).listCommand,
      },
      review: {
        about: "Review the cards that are due",
        load: async () => (await import("../commands/due/review.ts")).reviewCommand,
      },
      log: {
        about: "Show the answers recorded on this machine",
        load: async () => (await import("../commands/due/log.ts")).logCommand,
      },
      sync: {
        about: "Send pending answers to the service",
        load: async () => (await import("../commands/due/sync.ts")).syncCommand,
      },
    },
  },
  stats: {
    group: "Study",
    about: "Show statistics of your reviews",
    load: async () => (await import("../commands/stats/stats.ts")).statsCommand,
  },
  add: {
    group: "Study",
    about: "Add a card: front and back",
    load: async () => (await import("../commands/add.ts")).addCommand,
  },
  review: {
    group: "Study",
    about: "Review the cards that are due",
    load: async () => (await import("../commands/due/review.ts")).reviewShortcut,
  },
  auth: {
    group: "Account",
    about: "Log in to accounts, and choose one",
    verbs: {
      login: {
        about: "Save an account's address and key",
        load: async () => (await import("../commands/auth/login.ts")).loginCommand,
      },
      logout: {
        about: "Remove an account's key",
        load: async () => (await import("../commands/auth/logout.ts")).logoutCommand,
      },
      status: {
        about: "Show the account in use, and test it",
        load: async () => (await import("../commands/auth/status.ts")).statusCommand,
      },
      list: {
        about: "List the accounts",
        aliases: ["ls"],
        load: async () => (await import("../commands/auth/list.ts")).listCommand,
      },
      use: {
        about: "Set the default account",
        load: async () => (await import("../commands/auth/use.ts")).useCommand,
      },
    },
  },
  config: {
    group: "Account",
    about: "Read and change settings",
    verbs: {
      list: {
        about: "List the settings and where each comes from",
        aliases: ["ls"],
        load: async () => (await import("../commands/config/list.ts")).listCommand,
      },
      get: {
        about: "Print a setting",
        load: async () => (await import("../commands/config/get.ts")).getCommand,
      },
      set: {
        about: "Change a setting",
        load: async () => (await import("../commands/config/set.ts")).setCommand,
      },
      unset: {
        about: "Reset a setting to its default",
        load: async () => (await import("../commands/config/unset.ts")).unsetCommand,
      },
      path: {
        about: "Print the paths of files and folders",
        load: async () => (await import("../commands/config/path.ts")).pathCommand,
      },
    },
  },
  api: {
    group: "Tools",
    about: "Send one raw request",
    load: async () => (await import("../commands/api.ts")).apiCommand,
  },
  serve: {
    group: "Tools",
    about: "Run the local service on a port",
    defaultVerb: "run",
    verbs: {
      run: {
        about: "Run the local service on a port",
        hidden: true,
        load: async () => (await import("../commands/serve/run.ts")).runCommand,
      },
      key: {
        about: "Add, list and remove the service's keys",
        load: async () => (await import("../commands/serve/key.ts")).keyCommand,
      },
      account: {
        about: "Set the time zone of an account, and when its days begin",
        load: async () => (await import("../commands/serve/account.ts")).accountCommand,
      },
    },
  },
  demo: {
    group: "Study",
    about: "Try a sample collection",
    load: async () => (await import("../commands/demo.ts")).demoCommand,
  },
  completion: {
    group: "Tools",
    about: "Print a shell completion script",
    load: async () => (await import("../commands/completion.ts")).completionCommand,
  },
  doctor: {
    group: "Tools",
    about: "Check the installation",
    load: async () => (await import("../commands/doctor.ts")).doctorCommand,
  },
  version: {
    group: "Tools",
    about: "Print the version",
    load: async () => (await import("../commands/version.ts")).versionCommand,
  },
};
