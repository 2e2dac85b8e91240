import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ChildPrompt, promptText, writePromptFile } from "../../src/children/prompt-file.ts";

let dir: string;
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), "ptc-prompt-"))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const PROMPT: ChildPrompt = {
  body: "# Scout\n\n  Look at <everything> & report.",
  depth: 1,
  maxDepth: 3,
  treeSlots: 28,
  canDispatch: true,
  hasPrograms: true,
  reportText: "Report like this.",
};
const OWNER = "123-456-0a1b2c3d";
const write = (more: Partial<ChildPrompt> = {}, folder = dir) => {
  const written = writePromptFile({ ...PROMPT, ...more }, OWNER, folder);
  if (!written.ok) throw new Error(written.refusal);
  return written.file;
};
const modeOf = (path: string): number => lstatSync(path).mode & 0o777;

describe("a prompt file", () => {
  test("is readable by its owner alone, in a fresh folder that is too", () => {
    const [one, two] = [write(), write()];
    expect([modeOf(one.path), modeOf(dirname(one.path))]).toEqual([0o600, 0o700]);
    expect(dirname(dirname(one.path))).toBe(dir);
    expect(dirname(two.path)).not.toBe(dirname(one.path));
    expect(readFileSync(one.path, "utf8")).toBe(promptText(PROMPT));
  });

  test("lies in the system's temp folder unless told otherwise", () => {
    const written = writePromptFile(PROMPT, OWNER);
    if (!written.ok) throw new Error(written.refusal);
    expect(dirname(dirname(written.file.path))).toBe(tmpdir());
    written.file.dispose();
    expect(existsSync(dirname(written.file.path))).toBe(false);
  });

  test("goes with its folder, once, and does not mind being gone", () => {
    const file = write();
    file.dispose();
    expect(readdirSync(dir)).toEqual([]);
    mkdirSync(dirname(file.path));
    file.dispose();
    expect(existsSync(dirname(file.path))).toBe(true);
    const gone = write();
    rmSync(dirname(gone.path), { recursive: true });
    expect(() => gone.dispose()).not.toThrow();
  });

  test("takes a body of 300 KB", () => {
    const body = "ü".repeat(150_000);
    expect(readFileSync(write({ body }).path, "utf8").startsWith(`${body}\n\n<pi-ptc-context`)).toBe(true);
  });

  test.each(["gone", "file"])("that cannot be written is a refusal with the folder (%s)", (name) => {
    writeFileSync(join(dir, "file"), "");
    expect(writePromptFile(PROMPT, OWNER, join(dir, name))).toEqual({
      ok: false,
      refusal: expect.stringMatching(
        new RegExp(`cannot be written below ${join(dir, name)} \\(.*(?:ENOENT|ENOTDIR).*\\); .*TMPDIR`),
      ),
    });
    expect(readdirSync(dir)).toEqual(["file"]);
  });
});

describe("the text of a prompt", () => {
  test("is the agent's body unchanged, then where the child stands, then how it reports", () => {
    expect(promptText(PROMPT)).toBe(
      `${PROMPT.body}\n\n${[
        '<pi-ptc-context depth="1" max-depth="3">',
        "You are a child: another pi started you for one task, and your final answer goes back to it. You are at depth 1 of at most 3.",
        "Below you 2 more levels of children and 28 children in all may run.",
        'Inside a program you may start a child with `tools["pi.dispatch"]({ task })`.',
        "</pi-ptc-context>",
      ].join("\n")}\n\nReport like this.\n`,
    );
  });

  test("names pi.dispatch only to a child that has programs and may start children", () => {
    const names = (more: Partial<ChildPrompt>): boolean =>
      promptText({ ...PROMPT, ...more }).includes("pi.dispatch");
    expect(names({})).toBe(true);
    expect(names({ hasPrograms: false })).toBe(false);
    expect(names({ depth: 3 })).toBe(false);
    expect(names({ treeSlots: 0 })).toBe(false);
  });

  test("speaks of no children to a child that has no tool to start them", () => {
    const text = promptText({ ...PROMPT, canDispatch: false, hasPrograms: false });
    expect(text).toContain("You have no tool that starts children: do the whole task yourself.");
    expect(text).not.toContain("Below you");
  });

  test("says what remains, down to nothing", () => {
    expect(promptText({ ...PROMPT, depth: 2, treeSlots: 1 })).toContain(
      "Below you 1 more level of children and 1 child in all may run.",
    );
    for (const more of [{ depth: 3 }, { depth: 5 }, { treeSlots: 0 }])
      expect(promptText({ ...PROMPT, ...more })).toContain("No children may be started below you");
  });

  test("without agent and report is the context alone", () => {
    const text = promptText({ ...PROMPT, body: "", reportText: undefined });
    expect(text).toMatch(/^<pi-ptc-context depth="1" max-depth="3">\n[^]*<\/pi-ptc-context>\n$/);
  });
});
