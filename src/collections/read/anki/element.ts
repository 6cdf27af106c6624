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
  readonly isBlock?: boolean;
  /** The blanks at its ends, which turndown puts outside the marks around it. */
  readonly flankingWhitespace?: { readonly leading: string; readonly trailing: string };
  getAttribute(name: string): string | null;
}

export const elementOf = (node: unknown) => node as Element;
