/** What programs of the format show in another form. */
export interface Adapted {
  /** As a plural. */
  readonly what: string;
  readonly how: string;
}

/** What a format may have no place for, as a plural. */
export type LeftOut = "attachments" | "reviews" | "layouts of templates";

/** What of a collection is not in its export, or in another form. */
export class Losses {
  /** What the format has another form for, with how often it was met. */
  readonly adapted = new Map<Adapted, number>();
  /** What the format has no place for, with how many of each. */
  readonly leftOut = new Map<LeftOut, number>();

  /** Counts something that the format has another form for. */
  adapt(what: Adapted): void {
    this.adapted.set(what, (this.adapted.get(what) ?? 0) + 1);
  }

  /** Counts what the format has no place for. */
  leaveOut(what: LeftOut, count: number): void {
    if (count > 0) this.leftOut.set(what, (this.leftOut.get(what) ?? 0) + count);
  }
}
