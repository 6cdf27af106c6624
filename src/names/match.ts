/**
 * A path of names from the root, as it is typed: `Languages/Spanish`, a `/` inside a name written `\/`. A slash in
 * front gives an empty first name.
 */
export function splitPath(text: string): string[] {
  const names: string[] = [];
  let name = "";
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? "";
    if (character === "\\" && text[index + 1] === "/") {
      name += "/";
      index++;
    } else if (character === "/") {
      names.push(name);
      name = "";
    } else name += character;
  }
  return [...names, name];
}

/** Names as a path that `splitPath` reads back. */
export const joinPath = (names: readonly string[]): string =>
  names.map((name) => name.replaceAll("/", "\\/")).join("/");

/** A path that means one deck, whatever decks below others are called: `/Spanish` for one at the root. */
export const rooted = (path: string): string => (splitPath(path).length === 1 ? `/${path}` : path);

const ascii = /^[\0-\x7f]*$/;

/** The form in which names are compared exactly: composed and decomposed letters are the same. */
export const exactForm = (text: string): string => (ascii.test(text) ? text : text.normalize("NFC"));

/**
 * The form in which names are compared without regard to case. Through upper case, for letters like ß and ς; and before
 * that through lower case, for ẞ, which is no upper case of ß.
 */
export const foldedForm = (text: string): string =>
  ascii.test(text)
    ? text.toLowerCase()
    : text.normalize("NFC").toLowerCase().toUpperCase().toLowerCase().normalize("NFC");
