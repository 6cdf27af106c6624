import { splitSides } from "../../cards/index.ts";
import { formatBytes } from "../../output/status.ts";
import { cut } from "../../output/width.ts";
import { count } from "../../output/words.ts";
import { deckPaths } from "../../transfer/formats/deck-paths.ts";
import type { ImportPlan } from "../../transfer/import/plan.ts";
import type { ImportMode, ImportSummary } from "../../transfer/import/target.ts";
import type { Source, SourceCard, SourceDeck } from "../../transfer/model.ts";
import type { PlacesGroup, SkippedGroup } from "../../transfer/skip-counts.ts";

interface Planned {
  readonly source: Pick<Source, "format" | "decks" | "holdsLess">;
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
  const into = deck === undefined ? "" : ` in ${deck}`;
  const parts = madeParts(plan, formatBytes(plan.attachmentBytes));
  const paths = deckPaths(
    source.decks.map(({ key, parent, body }) => ({ id: key, name: body.name, "parent-id": parent })),
  );
  const names = newDecks.slice(0, 10).map(({ key, body }) => paths.get(key) ?? body.name);
  const more = newDecks.length > names.length ? `, and ${newDecks.length - names.length} more` : "";
  return [
    ...(parts.length > 0 ? [`To create${into}: ${parts.join(", ")} (${source.format})`] : []),
    ...(plan.updates > 0 ? [`To update: ${count(plan.updates, "card")}`] : []),
    ...thereLines(plan, mode, source.holdsLess ?? false),
    ...(names.length > 0 ? [`Decks: ${names.join(", ")}${more}`] : []),
    ...(plan.dueDates > 0 ? [dueDatesLine(plan.dueDates)] : []),
    ...plan.skipped.map(skippedLine),
    ...plan.warnings.map((group) => `Warning: ${group.what} (${group.count}): ${placesOf(group)}`),
  ];
}

type Made = Pick<ImportSummary, "decks" | "templates" | "cards" | "attachments" | "reviews"> & {
  readonly dueDates: number;
};

/** @param size of the attachments */
function madeParts({ decks, templates, cards, attachments, reviews, dueDates }: Made, size = ""): string[] {
  const some = (number: number, noun: string) => (number > 0 ? [count(number, noun)] : []);
  return [
    ...some(decks, "deck"),
    ...some(templates, "template"),
    ...some(cards, "card"),
    ...some(attachments, "attachment").map((part) => (size === "" ? part : `${part} (${size})`)),
    ...some(reviews - dueDates, "review"),
    // Services keep a due date only with a review.
    ...some(dueDates, "due date").map((part) => `${part} (as ${dueDates === 1 ? "a review" : "reviews"})`),
  ];
}

const dueDatesLine = (dueDates: number): string =>
  dueDates === 1
    ? "The due date of 1 card without reviews is kept by a review that is made up: remembered, today or earlier"
    : `The due dates of ${dueDates} cards without reviews are kept by reviews that are made up: remembered, today or earlier`;

function thereLines(
  { there, otherAttachments: files, reviewsApart }: ImportPlan,
  mode: ImportMode,
  less: boolean,
) {
  const { same, changed, differs, kept } = there;
  const all = same + changed + differs + kept;
  const parts = [
    same > 0 ? `${same} equal` : "",
    changed > 0 ? `${changed} changed in the file` : "",
    differs > 0 ? `${differs} ${differs === 1 ? "differs" : "differ"} in the collection` : "",
    kept > 0 ? `${kept} changed in the collection only` : "",
  ].filter((part) => part !== "");
  const more = less ? ", or have more than a file of this format can hold" : "";
  const are = files === 1 ? "is another file" : "are other files";
  return [
    ...(all > 0 ? [`In the collection already: ${count(all, "card")} (${parts.join(", ")})`] : []),
    ...(differs > 0
      ? [
          mode.overwrite
            ? `To replace: ${differs} whose text in the collection may be newer${more}`
            : `Left without --overwrite: ${differs} whose text in the collection may be newer${more}`,
        ]
      : []),
    ...(changed > 0 && !mode.update ? [`Left without --update: ${changed} changed in the file`] : []),
    ...(files === 0
      ? []
      : mode.overwrite
        ? [`To replace: ${count(files, "attachment")}, which \`import undo\` does not bring back`]
        : [`Left without --overwrite: ${count(files, "attachment")} that ${are} in the collection`]),
    ...reviewsApartLines(reviewsApart),
  ];
}

/** What is said of reviews that are newer in a source, of cards that have others of their own. */
export const reviewsApartLines = (reviews: number): string[] =>
  reviews === 0
    ? []
    : [`Not imported: ${count(reviews, "newer review")} of cards that were reviewed in the collection, too`];

/** Files that are no cards, though a person may have added them as such. */
export const unreadFileLines = ({ skipped }: Pick<ImportPlan, "skipped">): string[] =>
  skipped.filter(({ what, failed }) => what === "files" || failed).map(skippedLine);

const skippedLine = (group: SkippedGroup): string =>
  `Not carried over: ${group.what} (${group.count}): ${group.why} (${placesOf(group)})`;

const placesOf = ({ places, more }: PlacesGroup): string =>
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
  const { updated, unchanged, kept, failed } = summary;
  const dueDates = summary["due-dates"];
  const made = [
    ...madeParts({ ...none, cards: summary.cards }),
    ...madeParts({ ...summary, cards: 0, dueDates }),
  ];
  const parts = [
    made.length > 0 || updated + unchanged + kept === 0 ? `Imported ${made.join(", ") || "nothing"}` : "",
    updated > 0 ? `updated ${updated}` : "",
    unchanged > 0 ? `${unchanged} unchanged` : "",
    kept > 0 ? `${kept} kept as edited in the collection` : "",
    failed > 0 ? `${failed} failed` : "",
  ].filter((part) => part !== "");
  return parts.join(", ").replace(/^./, (first) => first.toUpperCase());
}

const none: Made = { decks: 0, templates: 0, cards: 0, attachments: 0, reviews: 0, dueDates: 0 };

const columns = 50;

/** How the first card of a source is read, so that the plan shows which side is which. */
export function sampleLine({ body: { content, fields } }: SourceCard): string {
  const sides = content.trim() === "" ? [] : splitSides(content).map(shown);
  const [front, back, ...more] = sides;
  const values = Object.values(fields ?? {}).map((field) => shown(field.value ?? ""));
  const parts = [
    ...(front === undefined ? [] : [`front: ${front}`]),
    ...(back === undefined ? [] : [`back: ${back}`]),
    ...(more.length === 0 ? [] : [`${more.length} more`]),
    ...(values.length === 0 ? [] : [`fields: ${values.join(" | ")}`]),
  ];
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
