/**
 * The names in a path from the root, as typed: `Languages/Spanish`, with a `/` inside a name written `\/`. A leading
 * slash gives an empty first name.
 */
export const splitPath = (text: string): string[] =>
  text.split(/(?<!\\)\//).map((name) => name.replaceAll("\\/", "/"));

/** Names as a path that `splitPath` reads back. */
export const joinPath = (names: readonly string[]): string =>
  names.map((name) => name.replaceAll("/", "\\/")).join("/");

/** A path that names one deck only: `/Spanish` for one at the root, since others may have a Spanish below them. */
export const rooted = (path: string): string => (splitPath(path).length === 1 ? `/${path}` : path);

const ascii = /^[\0-\x7f]*$/;

/** The form in which names are compared exactly: composed and decomposed letters are equal. */
export const exactForm = (text: string): string => (ascii.test(text) ? text : text.normalize("NFC"));

/**
 * The form in which names are compared ignoring case. Through upper case for letters like ß and ς, and through lower
 * case before that for ẞ, which is not the upper case of ß.
 */
export const foldedForm = (text: string): string =>
  ascii.test(text)
    ? text.toLowerCase()
    : text.normalize("NFC").toLowerCase().toUpperCase().toLowerCase().normalize("NFC");
