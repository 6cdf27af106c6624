import { expect, test } from "vitest";
import { reviewHome } from "../support/review.ts";

/** What the review says of an answer "remembered" to a new card in the deck under one with this retention. */
async function outlook(retention: number | undefined): Promise<string> {
  const home = reviewHome();
  await home.collection(async (client) => {
    const body = retention === undefined ? {} : { retention };
    const { id } = await client.decks.create({ name: "Above", ...body });
    const below = await client.decks.create({ name: "Below", "parent-id": id });
    await client.cards.create({ content: "Norway\n---\nOslo", "deck-id": below.id });
  });
  const pty = home.review(["--plain"]);
  await pty.until("Norway");
  pty.press("\r");
  await pty.until("Did you remember?");
  return /Enter yes, then ([^;]+);/.exec(pty.text().replaceAll(/\s+/g, " "))?.[1] ?? pty.text();
}

test("before a grade the review says when the card comes by the retention of the deck above its own", async () => {
  expect(await outlook(undefined)).toContain("(2 days)");
  expect(await outlook(0.7)).toMatch(/^in about \d\d days$/);
});
