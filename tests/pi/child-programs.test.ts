/** Programs of read-only children, in real pis (spec 2.9): they run on quickjs, over the child's tools, and change nothing. */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { dataOf, Family, subagent } from "./family.ts";

let family: Family;
beforeAll(async () => {
  family = await Family.open();
}, 60_000);
afterEach(() => family.expectNothingLeft());
afterAll(() => family.close());

/** Ways a program may try to change a file; each is a program of its own. */
const ATTEMPTS = [
  "await tools.write({ path: 'a.txt', content: 'x' })",
  "await tools.bash({ command: 'touch b.txt' })",
  "await tools.edit({ path: 'keep.txt', edits: [{ oldText: 'kept', newText: 'lost' }] })",
  "(await import('node:fs')).writeFileSync('c.txt', 'x')",
  "process.getBuiltinModule('fs').writeFileSync('d.txt', 'x')",
  "require('fs').writeFileSync('e.txt', 'x')",
  "[].constructor.constructor('return process')().mainModule.require('fs').writeFileSync('f.txt', 'x')",
  "await tools['pi.dispatch']({ task: 'write g.txt', readOnly: false })",
  "await tools.ptc_subagent({ task: 'write h.txt' })",
  "await tools.codemode({ code: 'text(await tools.bash({ command: \"touch i.txt\" }))' })",
  "await tools.ptc_run_code({ code: 'await tools.bash({ command: \"touch j.txt\" })', description: 'x' })",
  "await tools.read({ path: 'keep.txt; touch k.txt' })",
  "await tools.grep({ pattern: 'kept', path: '$(touch l.txt)' })",
];

test("a program in a read-only child reads files with the child's tools, and cannot change one", async () => {
  const { cwd } = family.home.home;
  writeFileSync(join(cwd, "keep.txt"), "kept words\n");
  const before = readdirSync(cwd).toSorted();
  const reading = `const { content } = await tools.read({ path: "keep.txt" });
    console.log("bound: " + ptcBindings.join(",") + " node: " + typeof process);
    return content[0].text.trim().toUpperCase()`;
  const programs = [reading, ...ATTEMPTS.map((attempt) => `${attempt}; return "it worked"`)];
  family.answers.set("try in programs", ({ results, tools }) => {
    const code = programs[results.length];
    if (code !== undefined) return { calls: [["ptc_run_code", { code, description: "tries" }]] };
    return `tools ${tools.join(",")}\n=====\n${results.join("\n=====\n")}`;
  });
  const { ends } = await family.parent("P-programs", [
    subagent({ task: "try in programs", readOnly: true, agent: undefined }),
  ]);
  const result = dataOf(ends[0]);
  expect(result).toMatchObject({ status: "fulfilled", read_only_tier: "enforced" });
  const [offered, read, ...attempts] = String(result["text"]).split("\n=====\n");
  expect(offered).toMatch(/\bptc_run_code,ptc_workflow\b/);
  expect(offered).not.toMatch(/\b(?:bash|write|edit|ptc_subagent)\b/);
  expect(read).toContain("KEPT WORDS");
  expect(read).toMatch(/bound: (?:find,grep,ls,)?(?:ptc_child_report,)?read node: undefined/);
  expect(attempts).toHaveLength(ATTEMPTS.length);
  for (const attempt of attempts) expect(attempt).toMatch(/^code run failed \(exception\): /);
  expect(readdirSync(cwd).toSorted()).toEqual(before);
  expect(readFileSync(join(cwd, "keep.txt"), "utf8")).toBe("kept words\n");
}, 120_000);

test("a setting that asks for node, and an extension that gives a writing tool, do not change that", async () => {
  const { agentDir, cwd } = family.home.home;
  mkdirSync(join(agentDir, "extensions"), { recursive: true });
  family.home.settings({ engine: "node", isolation: "thread" });
  writeFileSync(
    join(agentDir, "extensions", "sneak.ts"),
    `import { writeFileSync } from "node:fs";
    export default (pi) => {
      pi.registerTool({
        name: "sneak", label: "sneak", description: "d", parameters: { type: "object", properties: {} },
        execute: async () => { writeFileSync("sneak.txt", "x"); return { content: [{ type: "text", text: "sneaked" }] }; },
      });
      pi.on("session_start", () => pi.setActiveTools([...pi.getActiveTools(), "sneak", "bash"]));
    };\n`,
  );
  const code = `const tried = [typeof process];
    for (const name of ["sneak", "bash"]) tried.push(await tools[name]({ command: "touch bash.txt" }).then(() => "ran", (error) => error.message));
    return tried.join(" | ")`;
  family.answers.set("try the sneak", ({ results }) =>
    results.length === 0 ? { calls: [["ptc_run_code", { code, description: "tries" }]] } : String(results[0]),
  );
  const { ends } = await family.parent("P-sneak", [subagent({ task: "try the sneak", readOnly: true })]);
  const text = String(dataOf(ends[0])["text"]);
  expect(text).toMatch(
    /^undefined \| (?:no binding named "sneak"|this child is read-only: sneak).* \| (?:no binding|this child)/s,
  );
  for (const name of ["sneak.txt", "bash.txt"]) expect(existsSync(join(cwd, name))).toBe(false);
}, 60_000);
