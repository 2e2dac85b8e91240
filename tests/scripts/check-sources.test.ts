import { expect, test } from "vitest";
import { commentProblems, nameProblems } from "../../scripts/check-sources.ts";

test.each(["src/base/utils.ts", "src/shared/slots.ts", "src/tools/tool-helpers.ts", "tests/common.test.ts"])(
  "%s says nothing about what is inside",
  (path) => expect(nameProblems(path)).toEqual([expect.stringContaining("says nothing")]),
);

test.each(["src/base/slotCounter.ts", "src/base/Slots.ts", "src/base/slot_counter.ts"])(
  "%s is not kebab-case",
  (path) => expect(nameProblems(path)).toEqual([expect.stringContaining("kebab-case")]),
);

test.each(["src/base/slots.ts", "src/program/run-program.ts", "tests/base/slots.test.ts"])(
  "%s is a good name",
  (path) => expect(nameProblems(path)).toEqual([]),
);

test("a file that is a quarter comment passes, one that is more does not", () => {
  const code = "export const a = 1; // 123\nexport const b = 2;\n".padEnd(76, " ");
  expect(commentProblems("src/base/a.ts", `${code}//${"x".repeat(14)}`)).toEqual([]);
  expect(commentProblems("src/base/a.ts", `${code}//${"x".repeat(60)}`)).toEqual([
    expect.stringContaining("% of it is comment"),
  ]);
});

test("a comment inside a text or a template is no comment", () => {
  expect(
    commentProblems(
      "src/base/a.ts",
      'export const a = "// not a comment at all";\nexport const b = `/* nor this */`;',
    ),
  ).toEqual([]);
});

test("type declarations may explain themselves at any length, code may not", () => {
  const types =
    "/** Why this is here, at length. */\nexport interface A {\n  /** Milliseconds. */\n  b: number;\n}\nexport type { A as B };\n";
  expect(commentProblems("src/base/a.ts", types)).toEqual([]);
  expect(commentProblems("src/base/a.ts", `${types}export const c = 1;`)).toEqual([]);
  expect(
    commentProblems("src/base/a.ts", `${types}/** ${"At length, too. ".repeat(6)} */\nexport const c = 1;`),
  ).toHaveLength(1);
});
