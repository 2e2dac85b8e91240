/** README's quick start, done word for word in an empty home: its commands run as they stand, with a scripted model. */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { parseFrontmatter } from "@earendil-works/pi-coding-agent";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSandboxHome, PI_CLI, type SandboxHome } from "../../scripts/sandbox-home.ts";
import { findAgents } from "../../src/children/agents.ts";
import { CHECKOUT } from "./packed.ts";
import { Examples } from "./pages.ts";
import { runCommand } from "./pi-process.ts";

const examples = new Examples(["README.md"]);
const example = (part: string): string => examples.take("README.md", part);
const FAUX_MODEL = join(CHECKOUT, "tests/fixtures/faux-model.ts");

let home: SandboxHome;
let env: Record<string, string>;
beforeAll(() => {
  home = createSandboxHome();
  // What is shown is for pi's usual folder.
  rmSync(home.agentDir, { recursive: true });
  const { PI_CODING_AGENT_DIR: _unset, ...rest } = home.env;
  const bin = join(home.root, "bin");
  mkdirSync(bin);
  // Stands in for npx, which would ask a registry for pnpm.
  const runsScript = '#!/bin/sh\n[ "$1" = pnpm@12 ] || exit 64\nshift\nexec node --run "$@"\n';
  writeFileSync(join(bin, "npx"), runsScript, { mode: 0o755 });
  env = { ...rest, PATH: [bin, rest["PATH"]].join(delimiter) };
});
afterAll(() => home.remove());

const shell = (script: string) => runCommand("/bin/sh", ["-ec", script], { cwd: CHECKOUT, env });

test("a clone that was built and installed gives pi its tools", async () => {
  const { code, stdout, stderr } = await shell(example("pi install ."));
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/dist (?:is up to date|built)[^]*Installed \./);

  const script = join(home.root, "script.mjs");
  writeFileSync(
    script,
    'export default ({ tools }) => tools.filter((name) => name.startsWith("ptc_")).join();',
  );
  const args = [PI_CLI, "-e", FAUX_MODEL, "--model", "faux/faux-1", "-p", example("Which five").trim()];
  const end = await runCommand(process.execPath, args, {
    cwd: home.cwd,
    env: { ...env, FAUX_SCRIPT: script },
  });
  expect(end).toEqual({
    code: 0,
    stdout: "ptc_run_code,ptc_workflow,ptc_task_list,ptc_task_output,ptc_task_stop\n",
    stderr: "",
  });

  expect(await shell("pi remove .")).toMatchObject({ code: 0, stdout: expect.stringContaining("Removed .") });
  expect((await shell("pi list")).stdout).not.toContain(CHECKOUT);
}, 60_000);

test("an agent that was copied is found", async () => {
  expect(await shell(example("scout.md"))).toEqual({ code: 0, stdout: "", stderr: "" });
  const userDir = join(String(env["HOME"]), ".pi/agent/agents");
  const found = findAgents({ scope: "user", userDir, projectDir: undefined, parse: parseFrontmatter });
  expect(found).toMatchObject({ problems: [], agents: [{ name: "scout" }] });
});

test("the commands that need no model are scripts of this package", () => {
  expect(example("npx pnpm@12 demo")).toBe("npx pnpm@12 demo\nnpx pnpm@12 test\n");
});
