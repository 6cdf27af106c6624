import type { Status } from "../../review/session/history.ts";
import type { AnswerLine } from "../../review/session/log.ts";
import { boolean, instant, keyword, type Listing, number, object, string } from "../../schema/index.ts";

export type LoggedDocument = ReturnType<typeof loggedDocument>;

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
      about: "What became of its review: pending, sent, refused, undone; empty where it made none.",
    }),
    reason: string({ about: "Why the service refused it, or does not have it." }),
    name: string({ about: "The name of the card; it costs a request for each." }),
    deck: string({ about: "The path of the deck; it may cost requests." }),
  }),
  columns: ["date", "card-id", "deck-id", "pass", "remembered?", "duration", "status"],
};

/** An answer of the review log as it is printed. @param reason why the service refused it, or does not have it yet */
export function loggedDocument(line: AnswerLine, status: Status, reason?: string) {
  const { id, "card-id": card, "deck-id": deck, at: date, pass, "remembered?": remembered, duration } = line;
  const document = { id, "card-id": card, "deck-id": deck, date, pass, "remembered?": remembered, duration };
  return { ...document, status, ...(reason === undefined ? {} : { reason }) };
}
