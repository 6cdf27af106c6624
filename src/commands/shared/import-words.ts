import { formatBytes } from "../../output/status.ts";
import { cut } from "../../output/width.ts";
import { count } from "../../output/words.ts";
import { deckPaths } from "../../transfer/formats/deck-paths.ts";
import type { CardsInState, MatchCounts, Matches } from "../../transfer/import/match.ts";
import type { ImportPlan, PlacesGroup, SkippedGroup } from "../../transfer/import/plan.ts";
import type { ImportSummary } from "../../transfer/import/target.ts";
import type { Source, SourceDeck } from "../../transfer/model.ts";

interface Planned {
  readonly source: Pick<Source, "format" | "decks" | "holdsLess">;
  readonly plan: ImportPlan;
  readonly newDecks: readonly SourceDeck[];
  readonly matches: Pick<Matches, "counts" | "unsure" | "states" | "reviewsApart" | "differing">;
  /** Cards that an earlier run created, which this one continues. */
  readonly done: number;
}

/**
 * What will be made, and what cannot be carried over.
 *
 * @param deck the name of the one that the cards go to
 * @param updates how many cards will be updated, and whether also those that were edited in the account
 */
export function planLines(
  { plan, source, newDecks: decks, matches, done }: Planned,
  deck: string | undefined,
  { updates, overwrite }: { readonly updates: number; readonly overwrite: boolean },
): string[] {
  const into = deck === undefined ? "" : ` in ${deck}`;
  const parts = [
    plan.decks > 0 ? count(plan.decks, "deck") : "",
    plan.templates > 0 ? count(plan.templates, "template") : "",
    done === 0
      ? plan.cards > 0
        ? count(plan.cards, "card")
        : ""
      : `${plan.cards} of ${count(plan.cards + done, "card")} (${done} ${done === 1 ? "is" : "are"} done)`,
    plan.attachments > 0
      ? `${count(plan.attachments, "attachment")} (${formatBytes(plan.attachmentBytes)})`
      : "",
    ...historyParts(plan.reviews, plan.dueDates),
  ].filter((part) => part !== "");
  const paths = deckPaths(
    source.decks.map(({ key, parent, body }) => ({ id: key, name: body.name, "parent-id": parent })),
  );
  const names = decks.slice(0, 10).map(({ key, body }) => paths.get(key) ?? body.name);
  const more = decks.length > names.length ? `, and ${decks.length - names.length} more` : "";
  return [
    ...(parts.length > 0 ? [`To create${into}: ${parts.join(", ")} (${source.format})`] : []),
    ...(updates > 0 ? [`To update: ${count(updates, "card")}`] : []),
    ...thereLines(matches, overwrite, source.holdsLess ?? false),
    ...otherAttachmentsLines(plan, overwrite),
    ...reviewsApartLines(matches),
    ...(names.length > 0 ? [`Decks: ${names.join(", ")}${more}`] : []),
    ...(plan.dueDates > 0 ? [dueDatesLine(plan.dueDates)] : []),
    ...plan.skipped.map(skippedLine),
    ...plan.warnings.map((group) => `Warning: ${group.what} (${group.count}): ${placesOf(group)}`),
  ];
}

/** @param dueDates how many of the reviews are made up for due dates */
const historyParts = (reviews: number, dueDates: number): string[] => [
  ...(reviews > dueDates ? [count(reviews - dueDates, "review")] : []),
  ...(dueDates > 0 ? [`${count(dueDates, "due date")} (as ${dueDates === 1 ? "a review" : "reviews"})`] : []),
];

const dueDatesLine = (dueDates: number): string =>
  dueDates === 1
    ? "The due date of 1 card without reviews is kept by a review that is made up: remembered, today or earlier"
    : `The due dates of ${dueDates} cards without reviews are kept by reviews that are made up: remembered, today or earlier`;

function thereLines(
  { counts, unsure, states, differing }: Planned["matches"],
  overwrite: boolean,
  holdsLess: boolean,
): string[] {
  const { same, changed, several } = counts;
  const all = same + changed + counts.edited + counts.kept + counts.alike + several;
  if (all === 0) return [];
  const { edited, kept, alike } = otherwise(counts, states);
  const [trashed, archived] = [countOf(states.trashed), countOf(states.archived)];
  const parts = [
    same > 0 ? `${same} equal` : "",
    changed > 0 ? `${changed} changed in the file` : "",
    edited > unsure ? `${edited - unsure} changed in the collection since` : "",
    unsure > 0 ? `${unsure} different in the collection` : "",
    kept > 0 ? `${kept} changed in the collection only, which ${kept === 1 ? "is" : "are"} kept` : "",
    trashed > 0 ? `${trashed} in the trash` : "",
    archived > 0 ? `${archived} archived` : "",
    alike > 0 ? `${alike} with the same front that ${alike === 1 ? "differs" : "differ"} otherwise` : "",
    several > 0 ? `${several} with a front that several cards have` : "",
  ].filter((part) => part !== "");
  const lines = [`In the collection already: ${count(all, "card")} (${parts.join(", ")})`];
  const differ = all - same - counts.kept;
  const others = differ - differing.length;
  if (differ > 0)
    lines.push(
      `${differ === 1 ? "1 card differs" : `${differ} cards differ`}: ${differing.map((name) => cut(name, 40)).join(", ")}${others > 0 ? `, and ${others} more` : ""}`,
    );
  const newer = edited + alike;
  const more = holdsLess ? ", or have more than a file of this format can hold" : "";
  if (newer > 0)
    lines.push(
      `${overwrite ? "Replaced" : `Left as ${newer === 1 ? "it is" : "they are"} without --overwrite`}: ${newer} whose text in the collection may be newer than the file's${more}`,
    );
  return [
    ...lines,
    ...stateLine(states.trashed, overwrite, "in the trash", "cards restore"),
    ...stateLine(states.archived, overwrite, "archived", "cards unarchive"),
  ];
}

/** Of cards that are equal but for their state: how they come back. */
function stateLine(cards: CardsInState, overwrite: boolean, state: string, command: string): string[] {
  const number = countOf(cards);
  if (number === 0) return [];
  const are = number === 1 ? "is" : "are";
  if (overwrite) return [`Brought back: ${number} that ${are} ${state}`];
  const more = number > cards.ids.length ? ", …" : "";
  return [
    `${count(number, "card")} ${are} ${state}, and ${number === 1 ? "stays" : "stay"} so: deckhand ${command} ${cards.ids.join(" ")}${more}`,
  ];
}

/** What --overwrite does to the cards that are left without it; undefined where there are none. */
export function overwriteSentence(
  { counts, states }: Pick<Matches, "counts" | "states">,
  { otherAttachments: files }: Pick<ImportPlan, "otherAttachments">,
): string | undefined {
  const { edited, kept, alike } = otherwise(counts, states);
  const newer = edited + kept + alike;
  const back = countOf(states.trashed) + countOf(states.archived);
  const parts = [
    ...(newer > 0 ? [`replaces the ${count(newer, "card")} whose text in the collection may be newer`] : []),
    ...(files > 0 ? [`replaces ${count(files, "attachment")}`] : []),
    ...(back > 0
      ? [`brings back ${count(back, "card")} that ${back === 1 ? "is" : "are"} in the trash or archived`]
      : []),
  ];
  return parts.length === 0 ? undefined : `--overwrite also ${parts.join(", and ")}`;
}

const countOf = ({ counts: { edited, kept, alike } }: CardsInState) => edited + kept + alike;

/** The counts without the cards that are only in the trash, or archived. */
function otherwise(
  { edited, kept, alike }: MatchCounts,
  { trashed, archived }: Matches["states"],
): Pick<MatchCounts, "edited" | "kept" | "alike"> {
  const [bin, archive] = [trashed.counts, archived.counts];
  return {
    edited: edited - bin.edited - archive.edited,
    kept: kept - bin.kept - archive.kept,
    alike: alike - bin.alike - archive.alike,
  };
}

function otherAttachmentsLines({ otherAttachments: files }: ImportPlan, overwrite: boolean): string[] {
  if (files === 0) return [];
  const are = files === 1 ? "is another file" : "are other files";
  return overwrite
    ? [`To replace: ${count(files, "attachment")}, which \`import undo\` does not bring back`]
    : [`Left without --overwrite: ${count(files, "attachment")} that ${are} in the collection`];
}

/** What is said of reviews that are newer in a source, of cards that have others of their own. */
export const reviewsApartLines = ({ reviewsApart }: Pick<Matches, "reviewsApart">): string[] =>
  reviewsApart === 0
    ? []
    : [
        `Not imported: ${count(reviewsApart, "newer review")} of cards that were reviewed in the collection, too`,
      ];

/** Files that are no cards, though a person may have added them as such. */
export const unreadFileLines = ({ skipped }: Pick<ImportPlan, "skipped">): string[] =>
  skipped.filter(({ what }) => what === "files").map(skippedLine);

const skippedLine = (group: SkippedGroup): string =>
  `Not carried over: ${group.what} (${group.count}): ${group.why} (${placesOf(group)})`;

const placesOf = ({ places, more }: PlacesGroup): string =>
  `${places.join("; ")}${more > 0 ? `, and ${more} more` : ""}`;

export function sentenceOf(summary: ImportSummary): string {
  const { cards, decks, templates, attachments, reviews, updated, unchanged, kept, before, failed } = summary;
  const made = [
    count(cards, "card"),
    decks > 0 ? count(decks, "deck") : "",
    templates > 0 ? count(templates, "template") : "",
    attachments > 0 ? count(attachments, "attachment") : "",
    ...historyParts(reviews, summary["due-dates"]),
  ].filter((part) => part !== "");
  const there = `${updated > 0 ? `, updated ${updated}` : ""}${unchanged > 0 ? `, ${unchanged} unchanged` : ""}`;
  const edited = kept > 0 ? `, ${kept} kept as edited in the collection` : "";
  const already = before > 0 ? `; ${count(before, "card")} had been imported before` : "";
  return `Imported ${made.join(", ")}${there}${edited}${already}${failed > 0 ? `; ${failed} failed` : ""}`;
}
