import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type CheckedDispatch, checkInput } from "../../src/children/check-input.ts";

let dir: string;
beforeEach(() => void (dir = realpathSync(mkdtempSync(join(tmpdir(), "ptc-input ü-")))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const MODELS = ["faux/one", "faux/two"];
const check = (input: unknown) => checkInput(input, { cwd: dir, models: MODELS });
const requestOf = (input: object): CheckedDispatch => {
  const checked = check({ task: "do it", ...input });
  if (!checked.ok) throw new Error(checked.refusal);
  return checked.request;
};
const refusalOf = (input: unknown): string => {
  const checked = check(input);
  if (checked.ok) throw new Error("it was accepted");
  return checked.refusal;
};

describe("a dispatch", () => {
  test("with a task alone gets the defaults, and no key that was not given", () => {
    expect(check({ task: "do it" })).toEqual({
      ok: true,
      request: {
        task: "do it",
        cwd: dir,
        agentScope: "user",
        label: "do it",
        readOnly: false,
        background: false,
      },
    });
  });

  test("with every field is taken as it is", () => {
    mkdirSync(join(dir, "sub"));
    const input = {
      agent: "scout",
      task: "  look\n",
      cwd: "sub",
      agentScope: "both",
      model: "two",
      thinkingLevel: "xhigh",
      label: "a look",
      timeoutMs: 2_147_483_647,
      maxTurns: 1,
      maxCostUsd: 0.01,
      readOnly: true,
      background: true,
    };
    expect(check(input)).toEqual({
      ok: true,
      request: { ...input, cwd: join(dir, "sub"), model: "faux/two" },
    });
  });

  test("with null or undefined for a field has not given it", () => {
    const nothing = {
      agent: null,
      cwd: null,
      model: undefined,
      timeoutMs: null,
      readOnly: null,
      label: null,
      background: null,
    };
    expect(requestOf(nothing)).toEqual(requestOf({}));
  });

  test.each([
    [undefined, "the dispatch is undefined"],
    [null, "the dispatch is null"],
    ["look", 'the dispatch is "look"; it must be an object with at least task'],
    [["look"], "the dispatch is an array"],
    [{}, 'task is missing; say what the child is to do: { task: "..." }'],
    [{ task: null }, "task is missing"],
    [{ task: 5 }, "task is 5; it must be a string"],
    [{ task: "" }, "task is blank; say what the child is to do"],
    [{ task: " \n\t" }, "task is blank"],
    [{ task: "a\0b" }, "task holds a NUL character"],
  ])("given as %j is refused", (input, sentence) => expect(refusalOf(input)).toContain(sentence));

  test.each([
    [{ agent: 5 }, "agent is 5; it must be a string"],
    [{ agent: " " }, 'agent is " "; it must be a string that is not blank, or left out'],
    [{ agentScope: "all" }, 'agentScope is "all"; it must be one of user, project, both'],
    [{ agentScope: ["user"] }, "agentScope is an array; it must be one of user, project, both"],
    [
      { thinkingLevel: "deep" },
      'thinkingLevel is "deep"; it must be one of off, minimal, low, medium, high, xhigh, max',
    ],
    [{ model: "three" }, 'model "three" is unknown or has no key'],
    [{ model: "three" }, "take one of faux/one, faux/two"],
    [{ model: {} }, "model is an object; it must be a string"],
    [{ label: 5 }, "label is 5; it must be a string"],
    [{ readOnly: "yes" }, 'readOnly is "yes"; it must be true or false'],
    [{ timeoutMs: 0 }, "timeoutMs is 0; it must be a number of milliseconds from 1 to 2147483647"],
    [{ timeoutMs: -1 }, "timeoutMs is -1"],
    [{ timeoutMs: Number.NaN }, "timeoutMs is NaN"],
    [{ timeoutMs: "1000" }, 'timeoutMs is "1000"'],
    [{ timeoutMs: 9_999_999_999 }, "timeoutMs is 9999999999"],
    [{ timeoutMs: Number.POSITIVE_INFINITY }, "timeoutMs is Infinity"],
    [{ maxTurns: 0 }, "maxTurns is 0; it must be a whole number from 1 to 100000"],
    [{ maxTurns: 2.5 }, "maxTurns is 2.5"],
    [{ maxCostUsd: 0 }, "maxCostUsd is 0; it must be a number of US dollars above 0 and at most 1000000"],
    [{ maxCostUsd: -1 }, "maxCostUsd is -1"],
    [{ maxCostUsd: "1" }, 'maxCostUsd is "1"'],
    [{ background: "yes" }, 'background is "yes"; it must be true or false'],
    [{ tsk: "x" }, 'unknown key "tsk" (did you mean task?)'],
    [{ timeout: 5 }, 'unknown key "timeout" (did you mean timeoutMs?)'],
    [{ zzzzzz: 5 }, 'unknown key "zzzzzz"; known keys: agent, task, cwd, agentScope, model'],
  ])("with %j is refused", (input, sentence) =>
    expect(refusalOf({ task: "x", ...input })).toContain(sentence),
  );

  test("is told everything that is wrong at once", () => {
    const refusal = refusalOf({ task: "", timeoutMs: 0, cwd: "gone" });
    for (const part of ["task is blank", "timeoutMs is 0", "gone"]) expect(refusal).toContain(part);
  });

  test("is told so in whole sentences, guesses among them", () => {
    const refusal = refusalOf({ task: "", tsk: "x", model: "nope/x" });
    expect(refusal).not.toMatch(/\?[;.]|; [A-Z]/);
  });

  test("that asks for no background gets the child it would get anyway", () => {
    expect(requestOf({ background: false })).toEqual(requestOf({}));
  });

  test("never lets a key reach a prototype", () => {
    expect(refusalOf(JSON.parse('{"task": "x", "__proto__": {"readOnly": true}}'))).toContain(
      'unknown key "__proto__"',
    );
    expect(refusalOf(Object.create({ task: "inherited" }))).toContain("task is missing");
  });

  test("takes the level of its model, unless it names one itself", () => {
    expect(requestOf({ model: "faux/one:low" })).toMatchObject({ model: "faux/one", thinkingLevel: "low" });
    expect(requestOf({ model: "faux/one:low", thinkingLevel: "max" })).toMatchObject({
      thinkingLevel: "max",
    });
  });
});

describe("the folder of a dispatch", () => {
  test("starts at the session's, and may be absolute, in the home folder or behind a link", () => {
    mkdirSync(join(dir, "a b/ü"), { recursive: true });
    symlinkSync(join(dir, "a b"), join(dir, "link"));
    expect(requestOf({ cwd: "a b/ü" }).cwd).toBe(join(dir, "a b/ü"));
    expect(requestOf({ cwd: join(dir, "a b") }).cwd).toBe(join(dir, "a b"));
    expect(requestOf({ cwd: "a b/.." }).cwd).toBe(dir);
    expect(requestOf({ cwd: "link" }).cwd).toBe(join(dir, "link"));
    expect(requestOf({ cwd: "~" }).cwd).toBe(homedir());
  });

  test.each([
    ["gone", "does not exist"],
    ["file", "is no folder"],
    ["file/below", "does not exist"],
    ["a\0b", "cannot be entered"],
    ["x".repeat(5_000), "cannot be entered (ENAMETOOLONG)"],
  ])("%j is refused by its name", (cwd, sentence) => {
    writeFileSync(join(dir, "file"), "");
    const refusal = refusalOf({ task: "x", cwd });
    expect(refusal).toContain(sentence);
    expect(refusal).toContain(join(dir, cwd.slice(0, 1)));
    expect(refusal).toContain("leave cwd out for the session's own");
    expect(refusal.length).toBeLessThan(1_000);
  });

  test.each([undefined, "below", "."])(
    "%j in a session whose own folder is gone is not told to go there",
    (cwd) => {
      const gone = join(dir, "gone");
      const checked = checkInput({ task: "x", cwd }, { cwd: gone, models: [] });
      if (checked.ok) throw new Error("it was accepted");
      expect(checked.refusal).toMatch(
        /the session's own folder does not exist: make it again, or give .* absolute/,
      );
      expect(checked.refusal).not.toContain("leave cwd out");
    },
  );

  test.each([
    [5, "cwd is 5; it must be a string"],
    ["", 'cwd is ""; it must be a string that is not blank'],
  ])("given as %j is refused", (cwd, sentence) => expect(refusalOf({ task: "x", cwd })).toContain(sentence));

  test("that is gone, being the session's own, is refused too", () => {
    rmSync(dir, { recursive: true });
    expect(refusalOf({ task: "x" })).toMatch(
      new RegExp(`cwd does not exist; .*looked for ${JSON.stringify(dir)}`),
    );
  });
});

describe("the label of a dispatch", () => {
  test("is the first 64 characters of the task", () => {
    expect(requestOf({ task: "a".repeat(64) }).label).toBe("a".repeat(64));
    expect(requestOf({ task: `${"a".repeat(63)}bc` }).label).toBe(`${"a".repeat(63)}b`);
    expect(requestOf({ task: "a".repeat(2_000_000) }).label).toBe("a".repeat(64));
    expect(requestOf({ task: "the task", label: " " }).label).toBe("the task");
  });

  test("never ends inside a character", () => {
    const family = "👨‍👩‍👧‍👦";
    for (const before of [53, 54, 60, 63]) {
      expect(requestOf({ task: `${"a".repeat(before)}${family} and more of it` }).label).toBe(
        before + family.length <= 64 ? `${"a".repeat(before)}${family}` : "a".repeat(before),
      );
    }
    expect(requestOf({ task: `${"a".repeat(63)}e\u0301x` }).label).toBe("a".repeat(63));
  });

  test("is a well-formed beginning of the task, whatever the task", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 120 }), (task) => {
        fc.pre(task.trim() !== "" && !/[\0-\x1f\x7f-\x9f]/.test(task));
        const { label } = requestOf({ task });
        expect(label.length).toBeLessThanOrEqual(64);
        expect(label.isWellFormed()).toBe(true);
      }),
    );
  });

  test("holds no terminal sequences, given or not", () => {
    expect(requestOf({ task: "\x1b[31mred\x1b[0m" }).label).toBe("red");
    expect(requestOf({ label: "\x1b]0;title\x07x" }).label).toBe("x");
  });

  test("given longer than 200 characters is cut", () => {
    expect(requestOf({ label: "b".repeat(300) }).label).toBe("b".repeat(200));
  });
});
