import type { CardLink } from "../../cards/links.ts";
import type { LineInput } from "../../terminal/line-input.ts";
import type { TagLine } from "../session/card.ts";

/** What takes the keys: the card, a question about it, or a panel. */
export type Mode =
  | { readonly type: "card" | "help" | "details" | "trash" | "summary" }
  | { readonly type: "tags"; readonly input: LineInput; readonly separator: TagLine["separator"] }
  | { readonly type: "typing"; readonly input: LineInput; readonly answer: string }
  | { readonly type: "links"; readonly links: readonly CardLink[] };

/** Whether a mode takes the place of the card. */
export const isPanel = ({ type }: Mode): boolean => !["card", "tags", "typing", "trash"].includes(type);
