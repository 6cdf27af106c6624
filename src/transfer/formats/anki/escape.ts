/** Escapes text so that markdown and the card language read it as text. */
export function escapeText(text: string): string {
  return text
    .replace(/\\/g, "\\\\")
    .replace(
      /[*_`[\]~$]|==|<(?=[A-Za-z/!?<])|\{(?=\{)|\}(?=\})|#(?=[\p{L}\p{N}_])|@(?=\[)|&(?=#?[A-Za-z\d]{1,32};)/gu,
      (each) => (each === "==" ? "\\=\\=" : `\\${each}`),
    )
    .replace(/^(\s{0,3})([-+])(?=\s|[-+]{2}|$)/gm, "$1\\$2")
    .replace(/^(\s{0,3})(#{1,6})(?=\s|$)/gm, "$1\\$2")
    .replace(/^(\s{0,3}\d{1,9})([.)])(?=\s|$)/gm, "$1\\$2")
    .replace(/^(\s{0,3})>/gm, "$1\\>")
    .replace(/^(\s{0,3})(=+\s*)$/gm, "$1\\$2");
}

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
};

/** Services refuse half of a surrogate pair. */
const isCharacter = (code: number) => code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);

export function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/gi, (whole, decimal, hex, name) => {
    const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : undefined;
    if (code !== undefined) return isCharacter(code) ? String.fromCodePoint(code) : "\ufffd";
    return Object.hasOwn(entities, name) ? (entities[name] ?? whole) : whole;
  });
}
