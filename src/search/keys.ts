/** The keys of a search and the states that `is:` takes: completion offers them without loading the rest of search. */
export const keys = ["tag", "deck", "is", "has", "created", "due"];
export const cardStates = ["new", "due", "archived", "trashed", "leech"] as const;
