import type { Context } from "../../context/context.ts";
import type { Loss } from "../../transfer/export/lost-files.ts";
import { count } from "./import-words.ts";

/** Asks, at most once, before a folder that was an export of something else loses files by another one. */
export interface FolderLoss {
  /** Before anything is fetched: what the folder has of decks that are not in an export of this one. */
  ofOtherDecks(
    deck: { readonly id: string; readonly label: string },
    decks: ReadonlySet<string>,
  ): Promise<void>;
  /** When all is there, and nothing is changed yet. */
  confirm(loss: Loss): Promise<void>;
}

export function folderLoss(target: string, context: Context): FolderLoss {
  let asked = false;
  const ask = async (what: string, files: number) => {
    if (asked) return;
    await context.io.confirm(
      `Replace ${target}? ${what}: this removes ${count(files, "file")} from it.`,
      "nothing was changed",
    );
    asked = true;
  };
  return {
    async ofOtherDecks(deck, decks) {
      const { filesOfOtherDecks } = await import("../../transfer/export/lost-files.ts");
      const files = await filesOfOtherDecks(target, deck.id, decks);
      if (files > 0) await ask(`It holds more than ${deck.label}`, files);
    },
    confirm: ({ files, why }) =>
      ask(why === "deck" ? "It was made of something else" : "It seems to be of another account", files),
  };
}
