import type { Card } from "../schema/card.ts";
import { type Inline, inlines, plainText } from "./nodes.ts";
import type { Side } from "./passes.ts";

/** A target on a card that the user can open. */
export interface CardLink {
  readonly kind: "link" | "attachment" | "card";
  /** An http or https URL, the file name of an attachment, or the id or name of a card. */
  readonly target: string;
  /** The text on the card; not yet safe to print. */
  readonly label: string;
}

/** What the sides link to, each target once, in the order of the text. Links that are not http or https are left out. */
export function cardLinks(sides: readonly Side[]): CardLink[] {
  const links = new Map<string, CardLink>();
  for (const side of sides) {
    for (const node of inlines(side.blocks)) {
      const link = linkOf(node);
      const key = link && `${link.kind} ${link.target}`;
      if (link && key && !links.has(key)) links.set(key, link);
    }
  }
  return [...links.values()];
}

function linkOf(node: Inline): CardLink | undefined {
  if (node.type === "link") return pointing(node.href, plainText(node.children), attachmentName(node.href));
  if (node.type === "image") return pointing(node.src, node.alt, imageFile(node.src));
  if (node.type === "embed") return { kind: "card", target: node.target, label: node.target };
  if (node.type !== "reference") return undefined;
  const label = node.title ?? node.target;
  return webUrl(node.target) === undefined
    ? { kind: "card", target: node.target, label }
    : { kind: "link", target: node.target, label };
}

function pointing(href: string, label: string, file: string | undefined): CardLink | undefined {
  if (file !== undefined) return { kind: "attachment", target: file, label: label || file };
  const url = webUrl(href);
  return url === undefined ? undefined : { kind: "link", target: url, label: label || url };
}

/** The file that `@media/…` names, percent-decoded where that is possible; undefined for anything else. */
function attachmentName(source: string): string | undefined {
  return source.startsWith("@media/") ? decodedName(source.slice("@media/".length)) : undefined;
}

/** The name that a link has percent-encoded. */
export function decodedName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** The attachment that an image shows: `@media/file.png`, or a relative `file.png`; undefined for anything else. */
export function imageFile(source: string): string | undefined {
  const relative = /^(?:\.\/)?([^/:\\?#]+\.[A-Za-z\d]+)$/.exec(source)?.[1];
  return attachmentName(relative === undefined ? source : `@media/${relative}`);
}

/**
 * Whether a card says which files it has, and has none of that name. The inner shape of its attachments is not
 * documented: a list that is not keyed by names of files says nothing.
 */
export function lacksFile({ attachments }: Pick<Card, "attachments">, file: string): boolean {
  if (typeof attachments !== "object" || attachments === null || Array.isArray(attachments)) return false;
  const names = Object.keys(attachments);
  const wanted = file.normalize("NFC");
  return names.every((name) => /\.[A-Za-z\d]+$/.test(name) && name.normalize("NFC") !== wanted);
}

/** The URL in a form that is safe to pass on (ASCII, no control characters), if it is an http or https one. */
export function webUrl(href: string): string | undefined {
  if (!/^https?:\/\//i.test(href) || !URL.canParse(href)) return undefined;
  const url = new URL(href).href;
  return /^[\x21-\x7e]+$/.test(url) ? url : undefined;
}
