import type { Status } from "../../review/session/history.ts";
import type { AnswerLine } from "../../review/session/log.ts";
import { boolean, instant, keyword, type Listing, number, object, string } from "../../schema/index.ts";

/** An answer of the review log as it is printed. */
export interface LoggedDocument {
  readonly id: string;
  readonly "card-id": string;
  readonly "deck-id": string;
  readonly date: string;
  readonly pass: string;
  readonly "remembered?": boolean;
  readonly duration: number;
  readonly status: Status;
  /** Why the service refused it, or does not have it yet. */
  readonly reason?: string;
}

const statuses = ["pending", "sent", "refused", "undone", ""] as const;

export const logListing: Listing = {
  name: "answers",
  kind: object({
    id: string({ about: "Names the answer." }),
    "card-id": keyword({ about: "The card." }),
    "deck-id": keyword({ about: "The deck that it was in." }),
    date: instant({ about: "When it was given." }),
    pass: string({ about: "What was asked: forward, reverse, or a cloze group." }),
    "remembered?": boolean({ essential: true, about: "Whether it was remembered." }),
    duration: number({ about: "Seconds it took." }),
    status: string({
      about: `What became of its review: ${statuses.slice(0, -1).join(", ")}; empty where it made none.`,
    }),
    reason: string({ about: "Why the service refused it, or does not have it." }),
    name: string({ about: "The name of the card; it costs a request for each." }),
    deck: string({ about: "The path of the deck; it may cost requests." }),
  }),
  columns: ["date", "card-id", "deck-id", "pass", "remembered?", "duration", "status"],
};

export function loggedDocument(line: AnswerLine, status: Status, reason?: string): LoggedDocument {
  return {
    id: line.id,
    "card-id": line["card-id"],
    "deck-id": line["deck-id"],
    date: line.at,
    pass: line.pass,
    "remembered?": line["remembered?"],
    duration: line.duration,
    status,
    ...(reason === undefined ? {} : { reason }),
  };
}
