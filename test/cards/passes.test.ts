import fc from "fast-check";
import { expect, test } from "vitest";
import { cardLinks } from "../../src/cards/links.ts";
import { presentCard, stepAt } from "../../src/cards/passes.ts";

const passesOf = (content: string, more: object = {}) => presentCard({ card: { content, ...more } }).passes;
const indexes = (pass: Parameters<typeof stepAt>[0]) =>
  Array.from({ length: pass.steps }, (_, step) => stepAt(pass, step).map(({ index }) => index));

test("shows the sides from first to last, each below those before", () => {
  const [pass, ...rest] = passesOf("a\n---\nb\n---\nc");
  expect(rest).toEqual([]);
  expect(pass).toMatchObject({ kind: "forward", steps: 3 });
  expect(pass && indexes(pass)).toEqual([[0], [0, 1], [0, 1, 2]]);
});

test("adds a pass from last to first where the card or its deck says so", () => {
  const reverse = passesOf("a\n---\nb\n---\nc", { "review-reverse?": true }).at(-1);
  expect(reverse).toMatchObject({ kind: "reverse" });
  expect(reverse && indexes(reverse)).toEqual([[2], [2, 1], [2, 1, 0]]);
  const byDeck = presentCard({ card: { content: "a\n---\nb" }, deck: { "review-reverse?": true } });
  expect(byDeck.passes.map(({ kind }) => kind)).toEqual(["forward", "reverse"]);
  expect(passesOf("only one side", { "review-reverse?": true })).toHaveLength(1);
});

test("asks bare deletions together and each number on its own", () => {
  const passes = passesOf("{{2::b}} {{a}} {{1::c}} {{d}} {{2::e}}\n---\nmore {{9::x}}");
  expect(passes.map(({ kind, group }) => [kind, group])).toEqual([
    ["cloze", null],
    ["cloze", 1],
    ["cloze", 2],
  ]);
  expect(passes[1] && [0, 1, 2].map((step) => stepAt(passes[1] as never, step))).toEqual([
    [{ index: 0, cloze: { group: 1, hidden: true } }],
    [{ index: 0, cloze: { group: 1, hidden: false } }],
    [{ index: 0, cloze: { group: 1, hidden: false } }, { index: 1 }],
  ]);
});

test("takes no deletions from code", () => {
  expect(passesOf("`{{a}}`\n\n```\n{{b}}\n```").map(({ kind }) => kind)).toEqual(["forward"]);
});

test("shows one side at a time where the template says so", () => {
  const { sides, passes } = presentCard({
    card: { fields: { name: { id: "name", value: "{{Q}}" } } },
    template: {
      content: "<<name>>\n---\nA",
      fields: { name: { id: "name" } },
      options: { "show-sides-separately?": true },
    },
  });
  expect(sides.map(({ source }) => source)).toEqual(["{{Q}}", "A"]);
  expect(passes[0] && indexes(passes[0])).toEqual([[0], [0], [1]]);
});

test("leaves out sides that are blank, but never all", () => {
  expect(passesOf("---\nQ\n---\n \n---\nA")[0]).toMatchObject({ order: [1, 3], steps: 2 });
  expect(passesOf("")[0]).toMatchObject({ order: [0], steps: 1 });
  expect(passesOf("---")[0]).toMatchObject({ order: [0], steps: 1 });
});

test("shows content where a template has no fields to fill, and fields where the template is missing", () => {
  const template = { content: "T <<name>>", fields: { name: { id: "name" } } };
  expect(presentCard({ card: { content: "own", fields: {} }, template }).sides[0]?.source).toBe("own");
  expect(presentCard({ card: { content: "" }, template }).sides[0]?.source).toBe("T ");
  const fields = { name: { id: "name", value: "v" }, b: { id: "b", value: "w" } };
  expect(presentCard({ card: { content: "ignored", fields }, template }).sides[0]?.source).toBe("T v");
  expect(presentCard({ card: { content: "", fields } }).sides.map(({ source }) => source)).toEqual([
    "v",
    "w",
  ]);
});

test("ends every pass with all its sides revealed, for any content", () => {
  const part = fc.constantFrom("{{", "}}", "{{1::", "\n---\n", "x", "`", "\n", "==");
  fc.assert(
    fc.property(fc.array(part), fc.boolean(), fc.boolean(), (parts, reverse, separate) => {
      const { sides, passes } = presentCard({
        card: { content: parts.join(""), "review-reverse?": reverse },
        template: { options: { "show-sides-separately?": separate }, content: "" },
      });
      expect(passes.length).toBeGreaterThan(0);
      for (const pass of passes) {
        const all = Array.from({ length: pass.steps }, (_, step) => stepAt(pass, step));
        expect(new Set(all.flat().map(({ index }) => index))).toEqual(new Set(pass.order));
        expect(all.at(-1)?.every(({ cloze }) => !cloze?.hidden)).toBe(true);
        expect(all.every((shown) => shown.every(({ index }) => index < sides.length))).toBe(true);
      }
    }),
  );
});

test("holds a card of a hundred thousand sides", () => {
  const started = performance.now();
  const { passes } = presentCard({ card: { content: "a\n---\n".repeat(100_000) } });
  expect(passes[0]?.steps).toBe(100_000);
  expect(passes[0] && stepAt(passes[0], 1e9)).toHaveLength(100_000);
  expect(performance.now() - started).toBeLessThan(3000);
});

test("lists what a card links to, http and https only", () => {
  const { sides } = presentCard({
    card: {
      content:
        "[a](https://x.y/p) https://x.y/p [j](javascript:alert(1)) [f](file:///etc/passwd)\n---\n![map](@media/m%20p.png) [[Title|id1]] ![[id2/1]] @[old](http://o.ld/c)",
    },
  });
  expect(cardLinks(sides)).toEqual([
    { kind: "link", target: "https://x.y/p", label: "a" },
    { kind: "attachment", target: "m p.png", label: "map" },
    { kind: "card", target: "id1", label: "Title" },
    { kind: "card", target: "id2", label: "id2" },
    { kind: "link", target: "http://o.ld/c", label: "old" },
  ]);
});
