import {
  array,
  boolean,
  integer,
  keyword,
  number,
  object,
  type Received,
  type Sent,
  string,
  timestamp,
} from "./kinds.ts";
import { newCardPlaces } from "./today.ts";

/** The extension `schedule` (docs/design/service.md, Extensions): the FSRS parameters of an account. */
const fields = {
  retention: number({ min: 0.7, max: 0.99, about: "The share of cards to be remembered when they are due." }),
  w: array(number(), { about: "The 21 parameters of FSRS-6." }),
  "trained-at": timestamp({ nullable: true, about: "When they were trained; null for the defaults." }),
  reviews: integer({ min: 0, about: "How many reviews they were trained on." }),
  "log-loss": number({ min: 0, about: "How well they predicted reviews that they were not trained on." }),
  "new-per-day": integer({ min: 0, about: "How many new cards a day." }),
  "max-per-day": integer({ min: 1, about: "How many cards a day, reviews and new ones." }),
  "new-cards": keyword({ values: newCardPlaces, about: "Where new cards come among the others." }),
  balance: boolean({ about: "Whether a card comes back on the day of its range that has the fewest cards." }),
  "easy-days": string({ about: "Days with fewer cards, such as sat 50 %, sun 0." }),
} as const;

/** What a reschedule did, or would do. */
const moves = {
  moved: integer({ about: "How many cards got another due date, where that was asked for." }),
  later: integer({ about: "How many of them became due later." }),
  days: integer({ about: "By how many days, all together." }),
} as const;

export const scheduleDocument = object({
  ...fields,
  version: integer({ about: "Of FSRS: 6." }),
  ...moves,
});
export type ScheduleDocument = Received<typeof scheduleDocument>;

export const schedulePut = object({
  ...fields,
  reschedule: boolean({ about: "Whether due dates are computed again with the new parameters." }),
  "deck-id": keyword({ about: "Only those of this deck and the decks under it." }),
  preview: boolean({ about: "Only count what a reschedule would move: nothing is set." }),
});
export type SchedulePut = Sent<typeof schedulePut>;
