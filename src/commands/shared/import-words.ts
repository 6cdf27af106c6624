import { formatBytes } from "../../output/status.ts";
import type { ImportPlan, SkippedGroup } from "../../transfer/import/plan.ts";
import type { ImportSummary } from "../../transfer/import/target.ts";
import type { ImportFormat, SourceDeck } from "../../transfer/model.ts";

/** What will be made, `decks` and all else, and what cannot be carried over. */
export function planLines(
  plan: ImportPlan,
  decks: readonly SourceDeck[],
  format: ImportFormat,
  deck: string | undefined,
): string[] {
  const into = deck === undefined ? "" : ` into ${deck}`;
  const parts = [
    plan.decks > 0 ? count(plan.decks, "deck") : "",
    plan.templates > 0 ? count(plan.templates, "template") : "",
    count(plan.cards, "card"),
    plan.attachments > 0
      ? `${count(plan.attachments, "attachment")} (${formatBytes(plan.attachmentBytes)})`
      : "",
    plan.reviews > 0 ? count(plan.reviews, "review") : "",
  ].filter((part) => part !== "");
  const names = decks.slice(0, 10).map((each) => each.body.name);
  const more = decks.length > names.length ? `, and ${decks.length - names.length} more` : "";
  return [
    `To create${into}: ${parts.join(", ")} (${format})`,
    ...(names.length > 0 ? [`Decks: ${names.join(", ")}${more}`] : []),
    ...plan.skipped.map(skippedLine),
  ];
}

function skippedLine({ what, why, count: number, places }: SkippedGroup): string {
  const more = number > places.length ? `, and ${number - places.length} more` : "";
  return `Not carried over: ${number} × ${what}: ${why} (${places.join("; ")}${more})`;
}

export function sentenceOf({ cards, decks, templates, attachments, before, failed }: ImportSummary): string {
  const made = [
    count(cards, "card"),
    decks > 0 ? count(decks, "deck") : "",
    templates > 0 ? count(templates, "template") : "",
    attachments > 0 ? count(attachments, "attachment") : "",
  ].filter((part) => part !== "");
  const already = before > 0 ? `; ${count(before, "card")} had been imported before` : "";
  return `Imported ${made.join(", ")}${already}${failed > 0 ? `; ${failed} failed` : ""}`;
}

export const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? "" : "s"}`;
