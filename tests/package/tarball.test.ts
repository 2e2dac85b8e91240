import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSandboxHome, type SandboxHome } from "../../scripts/sandbox-home.ts";
import { contentProblems, installTarball, pack, type Packed } from "./packed.ts";
import { runPi } from "./pi-process.ts";

const FAUX_MODEL = join(import.meta.dirname, "../fixtures/faux-model.ts");

let home: SandboxHome;
let packed: Packed;
let installed: string;

beforeAll(async () => {
  home = createSandboxHome();
  packed = await pack(home);
  installed = await installTarball(home, packed.tarball);
});
afterAll(() => home.remove());

test("the tarball holds what ships and nothing else", async () => {
  expect(await contentProblems(packed.files)).toEqual([]);
});

test("a tarball without the worker, or with its source instead, is noticed", async () => {
  const files = packed.files.filter((path) => path !== "dist/worker.cjs");
  expect(await contentProblems(files)).toContain("dist/worker.cjs is missing");
  const withSource = await contentProblems([...files, "dist/worker.ts"]);
  expect(withSource).toContain("dist/worker.ts does not belong in the package");
});

test("every built file finds the built files it names", async () => {
  const built = packed.files.filter((path) => /^dist\/[^/]+\.c?js$/.test(path));
  const texts = await Promise.all(built.map((path) => readFile(join(installed, path), "utf8")));
  const named = texts.flatMap((text) =>
    [...text.matchAll(/(?:"\.\/|builtUrl\(")([\w-]+\.c?js)"/g)].map(([, name]) => `dist/${name}`),
  );
  expect(named).toContain("dist/worker.cjs");
  expect(built).toEqual(expect.arrayContaining(named));
});

test("nothing in it names a registry, a map or a path of this machine", async () => {
  const paths = packed.files.filter((path) => path !== "LICENSE" && !path.endsWith(".md"));
  const texts = await Promise.all(paths.map((path) => readFile(join(installed, path), "utf8")));
  for (const text of texts) expect(text).not.toMatch(/sourceMappingURL|registry\.|\/node_modules\/\.pnpm\//);
  for (const text of texts) expect(text).not.toContain(join(import.meta.dirname, "../.."));
});

test("it brings no package along", async () => {
  const names = await readdir(join(installed, ".."));
  expect(names.filter((name) => !name.startsWith("."))).toEqual(["pi-ptc-subagents"]);
});

test("installed into pi, it runs a program", async () => {
  const script = join(home.root, "script.mjs");
  const code =
    'const found = await tools.read({ path: "greeting.txt" }); return found.content[0].text.trim().toUpperCase();';
  await writeFile(join(home.cwd, "greeting.txt"), "hello from the file\n");
  await writeFile(
    script,
    `export default ({ results, call }) => results.length > 0 ? "finished"
       : call("ptc_run_code", { description: "reads a greeting", code: ${JSON.stringify(code)} });`,
  );
  expect(await runPi(home, ["install", installed])).toMatchObject({ code: 0 });

  const args = ["-e", FAUX_MODEL, "--model", "faux/faux-1", "--no-session", "--mode", "json", "-p", "go"];
  const { stdout, stderr } = await runPi(home, args, { FAUX_SCRIPT: script });

  const events = stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const ends = events.filter(({ type }) => type === "tool_execution_end");
  expect(ends, stderr).toMatchObject([
    { toolName: "read", isError: false },
    {
      toolName: "ptc_run_code",
      isError: false,
      result: { content: [{ type: "text", text: "HELLO FROM THE FILE" }] },
    },
  ]);
});

test("loaded from two folders at once, the second copy stands down and pi starts", async () => {
  const checkout = join(import.meta.dirname, "../..");
  const script = join(home.root, "count.mjs");
  await writeFile(
    script,
    `export default ({ tools }) => "offered: " + tools.filter((name) => name.startsWith("ptc_")).join(",");`,
  );
  const args = ["-e", checkout, "-e", FAUX_MODEL, "--model", "faux/faux-1", "--no-session", "-p", "go"];
  const { code, stdout, stderr } = await runPi(home, args, { FAUX_SCRIPT: script });
  expect({ code, stdout: stdout.trim() }).toEqual({
    code: 0,
    stdout: "offered: ptc_run_code,ptc_workflow,ptc_task_list,ptc_task_output,ptc_task_stop",
  });
  expect(stderr).toMatch(/loaded twice.*stands down/);
});
