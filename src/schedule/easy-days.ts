/** Shares for the weekdays from Sunday to Saturday. */
export type EasyDays = readonly number[];

const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/** `sat 50 %, sun 0` as shares; undefined for anything else. An empty text is no easy day. */
export function parseEasyDays(text: string): EasyDays | undefined {
  const shares = weekdays.map(() => 1);
  for (const part of text.split(",").filter((each) => each.trim() !== "")) {
    const [, name = "", percent] = /^\s*([a-z]{3})[a-z]*\s+(\d{1,3})\s*%?\s*$/i.exec(part) ?? [];
    const weekday = weekdays.indexOf(name.toLowerCase());
    if (weekday < 0 || Number(percent) > 100) return undefined;
    shares[weekday] = Number(percent) / 100;
  }
  return shares;
}

/** FNV-1a with a final mix, 32 bits: equal texts give equal numbers on every machine. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  return (hash ^ (hash >>> 15)) >>> 0;
}
