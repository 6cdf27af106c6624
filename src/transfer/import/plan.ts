import type { SourceCard } from "../model.ts";
import type { PlacesGroup, SkippedGroup } from "../skip-counts.ts";
import type { Stage } from "./stage.ts";
import { carried, type ImportMode } from "./target.ts";

/** What an import will do. */
export interface ImportPlan {
  readonly decks: number;
  readonly templates: number;
  /** Cards to create, and cards of the account to change. */
  readonly cards: number;
  readonly updates: number;
  readonly attachments: number;
  /** Bytes, as far as they are known. */
  readonly attachmentBytes: number;
  /** Those that are another file in the account, by their size. */
  readonly otherAttachments: number;
  readonly reviews: number;
  /** How many of the reviews are made up for due dates. */
  readonly dueDates: number;
  /** How many reviews of the source are newer and not imported: their cards were reviewed in the account, too. */
  readonly reviewsApart: number;
  /** What the account has of the source. */
  readonly there: CardsThere;
  readonly skipped: readonly SkippedGroup[];
  /** Cards that may be mistakes, which are imported all the same. */
  readonly warnings: readonly PlacesGroup[];
  /** The first card that is to be created, as it is read. */
  readonly sample: SourceCard | undefined;
}

interface CardsThere {
  readonly same: number;
  readonly changed: number;
  /** Those that differ in the account, or are several there. */
  readonly differs: number;
  /** Those that were edited in the account while the file says what it said. */
  readonly kept: number;
}

/** @param newDecks how many decks of the source the account lacks @param newTemplates and templates */
export function planOf(stage: Stage, mode: ImportMode, newDecks: number, newTemplates: number): ImportPlan {
  const todo = carried(mode);
  const kept = mode.overwrite ? "0" : "kept";
  const [sums] = stage.all<Record<string, number | null>>(
    `select sum(todo_files) files, sum(todo_bytes) bytes, sum(other_files) others, sum(todo_reviews) reviews,
       sum(todo_made_up) made_up from source where ${todo}`,
  );
  const count = (where: string) => stage.value<number>(`select count(*) from source where ${where}`);
  const first = stage.all<{ number: number }>("select number from source where kind = 'new' limit 1")[0];
  return {
    decks: newDecks,
    templates: newTemplates,
    cards: count("kind = 'new'"),
    updates: count(`kind in ('changed', 'differs') and ${todo} and ${kept} = 0`),
    attachments: sums?.["files"] ?? 0,
    attachmentBytes: sums?.["bytes"] ?? 0,
    otherAttachments: sums?.["others"] ?? 0,
    reviews: sums?.["reviews"] ?? 0,
    dueDates: sums?.["made_up"] ?? 0,
    reviewsApart: stage.value<number | null>("select sum(apart) from source") ?? 0,
    there: {
      same: count("kind = 'same'"),
      changed: count("kind = 'changed'"),
      differs: count("kind = 'differs' and kept = 0"),
      kept: count("kept = 1"),
    },
    skipped: stage.skipped.list,
    warnings: stage.warnings.list,
    sample: first && stage.card(first.number),
  };
}
