import type { Stage } from "./stage.ts";
import { carried, type ImportMode } from "./target.ts";

/** What an import will do. */
export type ImportPlan = ReturnType<typeof planOf>;

/** @param newDecks how many decks of the source the account lacks @param newTemplates and templates */
export function planOf(stage: Stage, mode: ImportMode, newDecks: number, newTemplates: number) {
  const todo = carried(mode);
  const [sums] = stage.all<Record<string, number | null>>(
    `select sum(todo_files) files, sum(todo_bytes) bytes, sum(other_files) others, sum(todo_reviews) reviews
     from source where ${todo}`,
  );
  const count = (where: string) => stage.value<number>(`select count(*) from source where ${where}`);
  const first = stage.all<{ number: number }>("select number from source where kind = 'new' limit 1")[0];
  return {
    decks: newDecks,
    templates: newTemplates,
    /** Cards to create, and cards of the account to change. */
    cards: count("kind = 'new'"),
    updates: count(`kind in ('changed', 'differs') and ${todo}`),
    attachments: sums?.["files"] ?? 0,
    /** As far as they are known. */
    attachmentBytes: sums?.["bytes"] ?? 0,
    /** Those that are another file in the account, by their size. */
    otherAttachments: sums?.["others"] ?? 0,
    reviews: sums?.["reviews"] ?? 0,
    /** What the account has of the source. */
    there: {
      same: count("kind = 'same'"),
      changed: count("kind = 'changed'"),
      /** Those that differ in the account, or are several there. */
      differs: count("kind = 'differs'"),
    },
    skipped: stage.skipped.list,
    /** The first card that is to be created, as it is read. */
    sample: first && stage.card(first.number),
  };
}
