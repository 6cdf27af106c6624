import { splitSides } from "../../cards/index.ts";
import { formatBytes } from "../../output/status.ts";
import { cut } from "../../output/width.ts";
import { count } from "../../output/words.ts";
import { deckPaths } from "../../transfer/formats/deck-paths.ts";
import type { ImportPlan } from "../../transfer/import/plan.ts";
import type { ImportMode, ImportSummary } from "../../transfer/import/target.ts";
import type { Source, SourceCard, SourceDeck } from "../../transfer/model.ts";
import type { SkippedGroup } from "../../transfer/skip-counts.ts";

/** The texts whose number is not 0. */
const some = (...texts: readonly (readonly [number: number, text: string])[]): string[] =>
  texts.flatMap(([number, text]) => (number > 0 ? [text] : []));

interface Planned {
  readonly source: Pick<Source, "format" | "decks">;
  readonly plan: ImportPlan;
  readonly newDecks: readonly SourceDeck[];
  readonly mode: ImportMode;
}

/**
 * What will be made, what the account has, and what cannot be carried over.
 *
 * @param deck the name of the one that the cards go to
 */
export function planLines({ plan, source, newDecks, mode }: Planned, deck: string | undefined): string[] {
  const { there, updates, otherAttachments: files } = plan;
  const { same, changed, differs } = there;
  const made = madeParts(plan, ` (${formatBytes(plan.attachmentBytes)})`).join(", ");
  const known = some(
    [same, `${same} equal`],
    [changed, `${changed} changed in the file`],
    [differs, `${differs} ${differs === 1 ? "differs" : "differ"} in the collection`],
  );
  const paths = deckPaths(
    source.decks.map(({ key, parent, body }) => ({ id: key, name: body.name, "parent-id": parent })),
  );
  const names = newDecks.slice(0, 10).map(({ key, body }) => paths.get(key) ?? body.name);
  const more = newDecks.length > names.length ? `, and ${newDecks.length - names.length} more` : "";
  const replaced = mode.overwrite ? "To replace" : "Left without --overwrite";
  const others = mode.overwrite
    ? ", which `import undo` does not bring back"
    : ` that ${files === 1 ? "is another file" : "are other files"} in the collection`;
  return [
    ...some(
      [made.length, `To create${deck === undefined ? "" : ` in ${deck}`}: ${made} (${source.format})`],
      [updates, `To update: ${count(updates, "card")}`],
      [
        known.length,
        `In the collection already: ${count(same + changed + differs, "card")} (${known.join(", ")})`,
      ],
      [differs, `${replaced}: ${differs} whose text in the collection may be newer`],
      [mode.update ? 0 : changed, `Left without --update: ${changed} changed in the file`],
      [files, `${replaced}: ${count(files, "attachment")}${others}`],
    ),
    ...some([names.length, `Decks: ${names.join(", ")}${more}`]),
    ...plan.skipped.map(skippedLine),
  ];
}

type Made = Pick<ImportSummary, "decks" | "templates" | "cards" | "attachments" | "reviews">;

/** @param size of the attachments */
const madeParts = ({ decks, templates, cards, attachments, reviews }: Made, size = ""): string[] =>
  some(
    [decks, count(decks, "deck")],
    [templates, count(templates, "template")],
    [cards, count(cards, "card")],
    [attachments, count(attachments, "attachment") + size],
    [reviews, count(reviews, "review")],
  );

/** Files that are no cards, though a person may have added them as such. */
export const unreadFileLines = ({ skipped }: Pick<ImportPlan, "skipped">): string[] =>
  skipped.filter(({ what, failed }) => what === "files" || failed).map(skippedLine);

const skippedLine = (group: SkippedGroup): string =>
  `Not carried over: ${group.what} (${group.count}): ${group.why} (${placesOf(group)})`;

const placesOf = ({ places, more }: SkippedGroup): string =>
  `${places.join("; ")}${more > 0 ? `, and ${more} more` : ""}`;

export const completeSentence = (cards: number): string =>
  cards <= 1
    ? `${cards === 0 ? "All of it" : "The card"} is there already; nothing to do.`
    : `All ${cards} cards are there already; nothing to do.`;

export function questionOf({ cards, updates }: ImportPlan): string {
  if (updates === 0) return cards === 0 ? "Import what is missing?" : `Import ${count(cards, "card")}?`;
  return cards === 0
    ? `Update ${count(updates, "card")}?`
    : `Import ${count(cards, "card")}, and update ${updates}?`;
}

export function resultSentence(summary: ImportSummary): string {
  const { cards, updated, unchanged, failed } = summary;
  const made = [...some([cards, count(cards, "card")]), ...madeParts({ ...summary, cards: 0 })];
  const isNothing = updated + unchanged === 0;
  const parts = some(
    [made.length + Number(isNothing), `Imported ${made.join(", ") || "nothing"}`],
    [updated, `updated ${updated}`],
    [unchanged, `${unchanged} unchanged`],
    [failed, `${failed} failed`],
  );
  return parts.join(", ").replace(/^./, (first) => first.toUpperCase());
}

const columns = 50;

/** How the first card of a source is read, so that the plan shows which side is which. */
export function sampleLine({ body: { content, fields } }: SourceCard): string {
  const [front = "", back, ...more] = content.trim() === "" ? [] : splitSides(content).map(shown);
  const values = Object.values(fields ?? {}).map((field) => shown(field.value ?? ""));
  const parts = some(
    [Number(content.trim() !== ""), `front: ${front}`],
    [Number(back !== undefined), `back: ${back}`],
    [more.length, `${more.length} more`],
    [values.length, `fields: ${values.join(" | ")}`],
  );
  return `The first card: ${cut(parts.join(", "), 3 * columns)}`;
}

const shown = (text: string) => cut(text.replace(/\s+/g, " ").trim(), columns);

/** The first line of a card, or of its fields, to name it. */
export function beginningOf({ body }: SourceCard): string {
  const fields = Object.values(body.fields ?? {}).map((field) => field.value ?? "");
  const lines = [body.content, ...fields].join("\n").split("\n");
  const first = lines
    .map((line) => line.replace(/^#+ /, "").trim())
    .find((line) => line !== "" && line !== "---");
  return (first ?? "").slice(0, 200);
}
