/** Fenced code blocks as CommonMark has them (spec.commonmark.org 0.31.2, 4.5); examples are its own where it has one. */

import { describe, expect, test } from "vitest";
import { fencedObjects } from "../../src/children/fenced-blocks.ts";

const found = (text: string): string[] => fencedObjects(text, 10);

describe("a fenced block", () => {
  test.each([
    ["backticks", "```json\n{1}\n```"],
    ["tildes", "~~~\n{1}\n~~~"],
    ["an info string after tildes with backticks in it", "~~~ aa ``` ~~~\n{1}\n~~~"],
    ["up to three blanks before it", "   ```\n   {1}\n  ```"],
    ["a longer fence at its end", "```\n{1}\n``````"],
    ["blanks after the fence at its end", "```\n{1}\n``` \t"],
    ["CR LF or CR at the ends of lines", "```\r\n{1}\r```"],
    ["no end", "```\n{1}"],
    ["text right before it", "glued\n```\n{1}\n```"],
  ])("may have %s", (_name, text) => {
    expect(found(text)).toEqual(["{1}"]);
  });

  test.each([
    ["two backticks", "``\n{1}\n``"],
    ["four blanks before it", "    ```\n    {1}\n    ```"],
    ["a backtick in its info string", "``` aa ```\n{1}"],
    ["text before the fence on its line", "see ```\n{1}\nx"],
  ])("is none with %s", (_name, text) => {
    expect(found(text)).toEqual([]);
  });

  test.each([
    ["a shorter fence", "````\n{1\n```\n}\n````"],
    ["a fence of the other kind", "```\n{1\n~~~\n}\n```"],
    ["a fence with text after it", "```\n{1\n``` x\n}\n```"],
    ["a fence four blanks in", "```\n{1\n    ```\n}\n```"],
  ])("is not ended by %s", (_name, text) => {
    expect(found(text)).toEqual([text.split("\n").slice(1, -1).join("\n")]);
  });
});

test("only blocks that begin with a brace are found, in order, the last of them", () => {
  const blocks = ["{1}", "ls -l", "[2]", " {3}", "", "{4}"]
    .map((body) => `\`\`\`\n${body}\n\`\`\``)
    .join("\n");
  expect(found(blocks)).toEqual(["{1}", "{3}", "{4}"]);
  expect(fencedObjects(blocks, 2)).toEqual(["{3}", "{4}"]);
});

test("a million fences are looked through in time", () => {
  const startedAt = process.cpuUsage();
  expect(fencedObjects("```\n{1}\n```\n".repeat(300_000), 5)).toHaveLength(5);
  const { user, system } = process.cpuUsage(startedAt);
  expect((user + system) / 1_000).toBeLessThan(3_000);
});
