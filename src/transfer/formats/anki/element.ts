/** The members of an element that are used; the types of the library need those of a browser. */
export interface Element {
  readonly nodeName: string;
  readonly nodeValue: string | null;
  readonly textContent: string | null;
  readonly childNodes: Iterable<Element>;
  readonly parentNode: Element | null;
  readonly firstChild: Element | null;
  readonly nextSibling: Element | null;
  readonly previousSibling: Element | null;
  /** Set by turndown when it visits the element. */
  readonly isBlock?: boolean;
  readonly isBlank?: boolean;
  /** The blanks at its ends, which turndown puts outside its delimiters. */
  readonly flankingWhitespace?: { readonly leading: string; readonly trailing: string };
  getAttribute(name: string): string | null;
}

export const elementOf = (node: unknown) => node as Element;

/** The address of a link to the web or to mail; undefined for every other element. */
export function addressOf(element: Element): string | undefined {
  if (element.nodeName !== "A") return undefined;
  const address = (element.getAttribute("href") ?? "").trim();
  // In a link, a placeholder is a field of the template with the address.
  return /^(?:(?:https?|mailto):|\ue0f0)/i.test(address) ? address : undefined;
}

/** The last part of a path: Anki has one folder of media. */
export function fileNameOf(source: string): string {
  let name = source.split(/[?#]/, 1)[0] ?? "";
  try {
    name = decodeURIComponent(name);
  } catch {
    // The percent sign is part of the name.
  }
  return name.slice(name.lastIndexOf("/") + 1);
}
