import { describe, expect, it } from "vitest";
import { afterGuard, answer, makeCards, reviewHome } from "../support/review.ts";

const day = 86_400_000;

/** A home with one card that has these reviews, the oldest first: `+` remembered, `-` forgotten. */
async function cardWith(reviews: string) {
  const home = reviewHome();
  const id = await home.collection(async (client) => {
    const [card = ""] = await makeCards(client, ["affect, effect?\n---\nto influence; a result"]);
    for (const [index, sign] of [...reviews].entries()) {
      const date = new Date(Date.now() - (reviews.length - index + 30) * day).toISOString();
      await client.reviews.create(card, { date, "remembered?": sign === "+", duration: 3 });
    }
    return card;
  });
  return { ...home, id };
}

describe("a card that was forgotten eight times after it had been remembered", () => {
  it("is marked as a leech, says so in its details, and can be archived or edited in one key", async () => {
    const { id, review, collection } = await cardWith("-+--------");
    const pty = review([], { columns: 100 });
    await pty.until(/leech +\w+ · 1 of 1[\s\S]*space reveal/);
    pty.press(" ");
    await pty.until(/2 remembered .*a archive {2}e edit/);
    pty.press("i");
    await pty.until(/Lapses +8, a leech: another wording may help/);
    pty.press("q");
    await pty.until("a archive");
    pty.press("a");
    await pty.until("No cards were reviewed.");
    pty.press("q");
    await pty.ended;
    const card = await collection((client) => client.cards.get(id));
    expect(card["archived?"]).toBe(true);
  });

  it("is announced line by line", async () => {
    const { review } = await cardWith("+--------");
    const pty = review(["--plain"]);
    await pty.until("A leech: forgotten 8 times. a archives it, e edits it.");
    pty.press("q\r");
    await pty.ended;
  });

  it("becomes a leech in the session that forgets it for the eighth time", async () => {
    const { review } = await cardWith("+-------");
    const pty = review();
    await pty.until(/affect[\s\S]*space reveal/);
    expect(pty.text()).not.toContain("leech");
    await answer(pty, false);
    await pty.until(/leech +\w+ · 1 of 1/);
    pty.press("q");
    await pty.ended;
  });

  it("is no leech if it was never remembered: it is only new", async () => {
    const { review } = await cardWith("--------");
    const pty = review();
    await pty.until(/affect[\s\S]*space reveal/);
    pty.press("i");
    await pty.until(/Lapses +0/);
    expect(pty.text()).not.toContain("leech");
    pty.press("q");
    await afterGuard();
    pty.press("q");
    await pty.ended;
  });
});
