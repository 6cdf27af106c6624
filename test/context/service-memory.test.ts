import { expect, onTestFinished, test } from "vitest";
import { fakeService, sendJson } from "../support/fake-service.ts";
import { deckhand } from "../support/world.ts";

test("what a service says of itself is asked once a day for each address", async () => {
  const service = await fakeService(({ url }, response) => {
    if (url === "/") return sendJson(response, 404, { errors: ["no"] });
    return sendJson(response, 200, { cards: [] });
  });
  onTestFinished(() => service.close());
  const env = { DECKHAND_PROFILE: "", DECKHAND_BASE_URL: service.url, DECKHAND_API_KEY: "a-key-for-this" };
  const d = await deckhand(env);
  let seen = 0;
  const paths = () => {
    const urls = service.requests.slice(seen).map(({ url }) => url);
    seen = service.requests.length;
    return urls;
  };
  await d.run(["due", "list", "-o", "id"]);
  expect(paths()).toContain("/");
  await d.run(["due", "list", "-o", "id"]);
  expect(paths()).not.toContain("/");
});
