/**
 * The database of a package in the layout that every version of Anki reads (schema 11): note types and decks are JSON in
 * the table `col`.
 */
export const schema11 = `
  create table col (id integer primary key, crt integer not null, mod integer not null, scm integer not null,
    ver integer not null, dty integer not null, usn integer not null, ls integer not null, conf text not null,
    models text not null, decks text not null, dconf text not null, tags text not null);
  create table notes (id integer primary key, guid text not null, mid integer not null, mod integer not null,
    usn integer not null, tags text not null, flds text not null, sfld integer not null, csum integer not null,
    flags integer not null, data text not null);
  create table cards (id integer primary key, nid integer not null, did integer not null, ord integer not null,
    mod integer not null, usn integer not null, type integer not null, queue integer not null, due integer not null,
    ivl integer not null, factor integer not null, reps integer not null, lapses integer not null,
    left integer not null, odue integer not null, odid integer not null, flags integer not null, data text not null);
  create table revlog (id integer primary key, cid integer not null, usn integer not null, ease integer not null,
    ivl integer not null, lastIvl integer not null, factor integer not null, time integer not null,
    type integer not null);
  create table graves (usn integer not null, oid integer not null, type integer not null);`;

/** Created when all rows are written: that takes less time. */
export const indices11 = `
  create index ix_notes_usn on notes (usn);
  create index ix_cards_usn on cards (usn);
  create index ix_revlog_usn on revlog (usn);
  create index ix_cards_nid on cards (nid);
  create index ix_cards_sched on cards (did, queue, due);
  create index ix_revlog_cid on revlog (cid);
  create index ix_notes_csum on notes (csum);`;

/** What differs from the settings that Anki takes by itself. @param behind minutes that the time zone is behind UTC on the first day */
export const collectionSettings = (behind: number) => ({
  creationOffset: behind,
  rollover: 4,
  sched2021: true,
  schedVer: 2,
});

/** @param modified seconds since 1970 */
export const deckEntry = (id: number, name: string, modified: number) => ({
  ...{ id, name, mod: modified, usn: -1, conf: 1, dyn: 0, collapsed: false },
  ...{ newToday: [0, 0], revToday: [0, 0], lrnToday: [0, 0], timeToday: [0, 0] },
});

/** Anki's default options of decks. */
export const deckOptions = {
  ...{ id: 1, name: "Default", mod: 0, usn: 0, maxTaken: 60, autoplay: true, timer: 0, replayq: true },
  new: { bury: false, delays: [1, 10], initialFactor: 2500, ints: [1, 4, 0], order: 1, perDay: 20 },
  rev: { bury: false, ease4: 1.3, ivlFct: 1, maxIvl: 36500, perDay: 200 },
  lapse: { delays: [10], leechAction: 1, leechFails: 8, minInt: 1, mult: 0 },
};

export interface NoteTypeParts {
  readonly id: number;
  readonly name: string;
  readonly cloze: boolean;
  readonly fields: readonly string[];
  readonly sortField: number;
  /** Name, question, answer. */
  readonly templates: readonly (readonly [name: string, question: string, answer: string])[];
  readonly alignment: "left" | "center" | "right";
}

export function noteTypeEntry(type: NoteTypeParts, modified: number) {
  return {
    id: type.id,
    name: type.name,
    type: type.cloze ? 1 : 0,
    mod: modified,
    usn: -1,
    sortf: type.sortField,
    did: null,
    css: `.card { font-family: arial; font-size: 20px; text-align: ${type.alignment}; color: black; background-color: white; }\n.cloze { font-weight: bold; color: blue; }\n`,
    latexPre:
      "\\documentclass[12pt]{article}\n\\special{papersize=3in,5in}\n\\usepackage{amssymb,amsmath}\n\\pagestyle{empty}\n\\setlength{\\parindent}{0in}\n\\begin{document}\n",
    latexPost: "\\end{document}",
    flds: type.fields.map((name, ord) => ({ name, ord, font: "Arial", size: 20, rtl: false, sticky: false })),
    tmpls: type.templates.map(([name, qfmt, afmt], ord) => ({ name, ord, qfmt, afmt })),
  };
}
