/** What the binding contract says, piece by piece, with the programs that show each piece to be true. */

import { readFileSync } from "node:fs";
import { expect } from "vitest";
import type { PiHome, ToolEnd } from "./real-pi.ts";

export interface Claim {
  /** Pieces of the contract this claim stands for, word for word. */
  says: string[];
  /** Programs that show it, run one after the other. */
  code: string[];
  /** Parameters of every program. */
  params?: object;
  shows(ends: ToolEnd[], home: PiHome): void;
}

export const valueOf = (end: ToolEnd | undefined): unknown => end?.result.structuredContent?.["value"];
export const errorOf = (end: ToolEnd | undefined): { kind: string; message: string } =>
  end?.result.structuredContent?.["error"] as { kind: string; message: string };

const WRITING: Claim[] = [
  {
    says: ["Write the body of an async function in JS"],
    code: ["const one = await Promise.resolve(1); return one + 1"],
    shows: ([end]) => expect(valueOf(end)).toBe(2),
  },
  {
    says: ["or TypeScript"],
    code: [
      "interface Box { n: number }\nconst box: Box = { n: 3 };\nfunction get<T>(value: T): T { return value }\nreturn get<number>(box.n as number)",
    ],
    shows: ([end]) => expect(valueOf(end)).toBe(3),
  },
  {
    says: ["(types only: no enum, no namespace)"],
    code: ["enum A { B }\nreturn 1", "namespace A { export const b = 1 }\nreturn 1"],
    shows: (ends) => {
      expect(ends.map((end) => errorOf(end).kind)).toEqual(["compile", "compile"]);
      expect(errorOf(ends[0]).message).toContain("enum");
      expect(errorOf(ends[1]).message).toContain("namespace");
    },
  },
  {
    says: [", run by Node in the session's cwd."],
    code: ["return [process.cwd(), process.versions.node, Buffer.from('a').toString('hex')]"],
    shows: ([end], { home }) =>
      expect(valueOf(end)).toEqual([home.cwd, expect.stringMatching(/^\d+\.\d+/), "61"]),
  },
  {
    says: ["No static import: use `await import()`."],
    code: [
      "import { readFileSync } from 'node:fs';\nreturn 1",
      "const { sep } = await import('node:path'); return sep",
    ],
    shows: ([first, second]) => {
      expect(errorOf(first)).toMatchObject({
        kind: "compile",
        message: expect.stringContaining("await import("),
      });
      expect(valueOf(second)).toBe("/");
    },
  },
];

const RESULTS: Claim[] = [
  {
    says: ["Only what you `return` or log comes back,"],
    code: [
      "const { content } = await tools.read({ path: 'secret.txt' }); console.log('logged'); return content[0].text.length",
    ],
    shows: ([end]) => {
      expect(end?.text).toBe("logged\n11");
      expect(JSON.stringify(end?.result)).not.toContain("marker-word");
    },
  },
  {
    says: ["cut to the last 50KB/2000 lines,", "lines to 200 chars,", "with the full text in a file,"],
    code: [
      "for (let i = 0; i < 5000; i++) console.log('n' + i); return 'end'",
      "return ('y'.repeat(99) + '\\n').repeat(1500)",
      "return 'x'.repeat(500)",
    ],
    shows: ([lines, bytes, wide]) => {
      const [shown = "", note = ""] = lines?.text.split("\n\n") ?? [];
      expect(shown.split("\n").length).toBeGreaterThan(1_900);
      expect(shown.split("\n").length).toBeLessThanOrEqual(2_000);
      expect(shown.endsWith("n4999\nend")).toBe(true);
      expect(Buffer.byteLength(bytes?.text ?? "")).toBeLessThan(51_200 + 500);
      expect(Buffer.byteLength(bytes?.text ?? "")).toBeGreaterThan(45_000);
      expect(wide?.text.split("\n")[0]).toBe(`${"x".repeat(199)}…`);
      const path = /Full output: (.+)\]/.exec(note)?.[1] ?? "";
      expect(readFileSync(path, "utf8").split("\n").slice(0, 2)).toEqual(["n0", "n1"]);
    },
  },
  {
    says: ["and the images of calls, attached by themselves."],
    code: ["await tools.kit_image({}); return 'seen'"],
    shows: ([end]) => expect(end?.result.content.map((block) => block.type)).toEqual(["text", "image"]),
  },
  {
    says: [
      '- `await tools.<name>(args)`, `tools["<name>"](args)` resolve to `{ content, details, structuredContent? }`:',
      "text at `content[0].text`;",
      "details an object or null;",
      "structuredContent, plain data, where the tool has an output schema.",
      "No other fields.",
    ],
    code: [
      "return [await tools.kit_weigh({ parcel: 'ab' }), await tools['kit_weigh']({ parcel: 'ab' })]",
      "return [await tools.write({ path: 'out.txt', content: 'hi' }), await tools['kit-dashed.name']({}), await tools.kit_mute({})]",
    ],
    shows: ([data, plain]) => {
      const weighed = {
        content: [{ type: "text", text: "200 g" }],
        details: { scale: "A" },
        structuredContent: { grams: 200 },
      };
      expect(valueOf(data)).toEqual([weighed, weighed]);
      expect(valueOf(plain)).toEqual([
        { content: [{ type: "text", text: "Successfully wrote to out.txt" }], details: null },
        { content: [{ type: "text", text: "dashed" }], details: null },
        { content: [], details: null },
      ]);
    },
  },
];

const CATCH =
  "const seen = async (call) => { try { return await call } catch (error) { return [error instanceof ToolCallError, { ...error, message: error.message }] } };";
const FAILURES: Claim[] = [
  {
    says: [
      "- A call that fails, is blocked or has bad args rejects with `ToolCallError` (toolName, message with the tool's text, content, details, structuredContent?).",
    ],
    code: [
      `${CATCH} return [await seen(tools.kit_fail({})), await seen(tools.bash({ command: 'echo forbidden' })), await seen(tools.read({}))]`,
    ],
    shows: ([end]) => {
      const [fails, blocked, badArgs] = valueOf(end) as [boolean, Record<string, unknown>][];
      expect(fails).toEqual([
        true,
        {
          name: "ToolCallError",
          toolName: "kit_fail",
          message: "broke",
          content: [{ type: "text", text: "broke" }],
          details: { part: 7 },
          structuredContent: { code: 7 },
        },
      ]);
      expect(blocked).toEqual([
        true,
        expect.objectContaining({ toolName: "bash", message: "the gate says no to a program", details: {} }),
      ]);
      expect(badArgs).toEqual([
        true,
        expect.objectContaining({ toolName: "read", message: expect.stringContaining("path: ") }),
      ]);
      expect(badArgs?.[1]).not.toHaveProperty("structuredContent");
    },
  },
  {
    says: ["So does bash on a non-zero exit; its output is in message."],
    code: [`${CATCH} return await seen(tools.bash({ command: 'echo before; exit 3' }))`],
    shows: ([end]) => {
      const [isOurs, error] = valueOf(end) as [boolean, { message: string; structuredContent: object }];
      expect(isOurs).toBe(true);
      expect(error.message).toMatch(/^before\n[^]*code 3/);
      expect(error.structuredContent).toMatchObject({ exit_code: 3, output: "before\n" });
    },
  },
  {
    says: ["- At most 10 calls run at once, others queue: use Promise.all."],
    code: [
      "const all = await Promise.all(Array.from({ length: 25 }, () => tools.kit_busy({}))); return all.map((one) => Number(one.content[0].text))",
    ],
    shows: ([end]) => {
      const counts = valueOf(end) as number[];
      expect(counts).toHaveLength(25);
      expect(Math.max(...counts)).toBe(10);
    },
  },
  {
    says: ["Await every call: those open at the end are cancelled."],
    code: [
      "tools.kit_hold({}); await tools.kit_mute({}); return 'over'",
      "return (await tools.kit_aborted({})).content[0].text",
    ],
    shows: ([first, second]) => {
      expect(first?.text).toMatch(/^over\nWarning: .*kit_hold/);
      expect(valueOf(second)).toBe("1");
    },
  },
];

const GLOBALS: Claim[] = [
  {
    says: ["- Globals: `ptcBindings` (names bound),"],
    code: ["return [Object.isFrozen(ptcBindings), ...ptcBindings]"],
    shows: ([end]) => {
      const [frozen, ...names] = valueOf(end) as string[];
      expect(frozen).toBe(true);
      expect(names).toEqual(expect.arrayContaining(["bash", "kit-dashed.name", "read"]));
      expect(names).toEqual(names.toSorted());
      expect(names).not.toEqual(expect.arrayContaining(["ptc_run_code"]));
    },
  },
  {
    says: [
      "`await searchTools(query)` -> [{ name, description }],",
      "`await describeTool(name)` -> its declaration,",
    ],
    code: [
      "return [await searchTools('parcel'), await describeTool('kit_weigh'), await describeTool('nothing')]",
    ],
    shows: ([end]) => {
      const [found, declared, nothing] = valueOf(end) as [unknown, string, unknown];
      expect(found).toEqual([{ name: "kit_weigh", description: "Weighs a parcel" }]);
      expect(declared).toContain("// Weighs a parcel\n  kit_weigh(args: {");
      expect(declared).toContain("Promise<Result<{ grams: number; }>>");
      expect(nothing).toBeNull();
    },
  },
  {
    says: ["`store(key, json)` and `load(key)` across programs,"],
    code: ["store('n', { a: [1] }); return load('n')", "return [load('n'), load('other') === undefined]"],
    shows: ([first, second]) => {
      expect(valueOf(first)).toEqual({ a: [1] });
      expect(valueOf(second)).toEqual([{ a: [1] }, true]);
    },
  },
  {
    says: ["`console`."],
    code: ["console.log('a', { b: 1 }); console.warn('w'); console.error('e')"],
    shows: ([end]) => expect(end?.text).toBe("a { b: 1 }\n[warn] w\n[error] e"),
  },
  {
    says: ["- timeoutMs: default 120000,"],
    params: { timeoutMs: "1000" },
    code: ["return 1"],
    shows: ([end]) => {
      expect(end?.isError).toBe(true);
      expect(end?.text).toContain('timeoutMs is "1000"');
      expect(end?.text).toContain("120000");
    },
  },
  {
    says: ["at most 600000."],
    params: { timeoutMs: 9_999_999_999 },
    code: ["return 1"],
    shows: ([end]) => expect(end?.text).toMatch(/^1\nWarning: .*600000/),
  },
];

/** In the order of the contract. */
export const CLAIMS = [...WRITING, ...RESULTS, ...FAILURES, ...GLOBALS];
