/** What is used of an element; the types of the library ask for those of a browser. */
export interface Element {
  readonly nodeName: string;
  readonly nodeValue: string | null;
  readonly textContent: string | null;
  readonly childNodes: Iterable<Element>;
  readonly parentNode: Element | null;
  readonly firstChild: Element | null;
  readonly nextSibling: Element | null;
  readonly previousSibling: Element | null;
  /** Set by turndown, as soon as it comes to the element. */
  readonly isBlock?: boolean;
  /** The blanks at its ends, which turndown puts outside the marks around it. */
  readonly flankingWhitespace?: { readonly leading: string; readonly trailing: string };
  getAttribute(name: string): string | null;
}

export const elementOf = (node: unknown) => node as Element;

/** The address of a link to the web or to mail; undefined for every other element. */
export function addressOf(element: Element): string | undefined {
  if (element.nodeName !== "A") return undefined;
  const address = (element.getAttribute("href") ?? "").trim();
  // What is kept is, in a link, a field of the template that holds the address.
  return /^(?:(?:https?|mailto):|\ue0f0)/i.test(address) ? address : undefined;
}
