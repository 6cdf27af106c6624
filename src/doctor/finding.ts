/** What one check found. */
export interface Finding {
  readonly check: string;
  readonly "ok?": boolean;
  readonly detail: string;
}

export const fine = (check: string, detail: string): Finding => ({ check, "ok?": true, detail });
export const wrong = (check: string, detail: string): Finding => ({ check, "ok?": false, detail });
