import fc from "fast-check";
import { expect, test } from "vitest";
import { codeRuns } from "../../../src/output/markdown/code.ts";
import { cpuTime } from "../../support/cpu-time.ts";

const names = "ts json rust php python yaml sql lua haskell clojure css html latex unknown".split(" ");

test("colours any text in any language without changing it", () => {
  const part = fc.constantFrom(
    "'",
    '"',
    "`",
    "\\",
    "/*",
    "*/",
    "//",
    "#",
    "--",
    "if",
    "1",
    "x",
    "\n",
    "<",
    ">",
    "😀",
    " ",
  );
  fc.assert(
    fc.property(fc.constantFrom(...names, "diff"), fc.array(part, { maxLength: 40 }), (name, parts) => {
      const code = parts.join("");
      expect(
        codeRuns(code, name)
          .map(({ text }) => text)
          .join(""),
      ).toBe(code);
    }),
    { numRuns: 1000 },
  );
});

test.each(['"', "'", '\\"', '"\\', "/*", "'''", "1", "1.", "<a", "a'b\"", "#", "\n"])(
  "colours a lot of %j quickly",
  (piece) => {
    const code = piece.repeat(99_000 / piece.length);
    const started = cpuTime();
    for (const name of ["ts", "python", "html", "sql", "rust"]) codeRuns(code, name);
    expect(cpuTime() - started).toBeLessThan(5000);
  },
);
