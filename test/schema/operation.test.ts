import { expect, test } from "vitest";
import { doingOf, operations } from "../../src/schema/index.ts";

test("what each operation does is said in plain English after would and could not", () => {
  const said = Object.values(operations).map((operation) => doingOf(operation));
  const verbs = new Set(said.map((text) => text.split(" ")[0]));
  expect([...verbs].sort()).toEqual(
    "add change count create delete download list make put record remove restore retrieve say set store take".split(
      " ",
    ),
  );
});
