/**
 * An extension with three tools that belong together: `run_checks` and `failing_tests` run scripts of the project's
 * package.json, `review_diff` calls both. Each says what it returns (`outputSchema`) and what it may do (`annotations`).
 * Load it with `pi -e project-checks.ts`.
 */

import type { ExtensionAPI, ExtensionToolContext } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";

/** Most characters of output that go back. */
const MAX_OUTPUT = 4_000;

/** A project's own scripts: they change nothing that matters, and stay on this machine. */
const HARMLESS = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false };

const CHECKS = Type.Object({ exit_code: Type.Number(), output: Type.String() });
const FAILING = Type.Object({ exit_code: Type.Number(), failing: Type.Array(Type.String()) });
const REVIEW = Type.Object({
  files: Type.Array(Type.String()),
  checks: Type.Optional(CHECKS),
  tests: Type.Optional(FAILING),
  notes: Type.Array(Type.String()),
});

export default function projectChecks(pi: ExtensionAPI): void {
  /** An exit code other than 0 is an answer, and so is a script that there is not. */
  const runScript = async (script: string, { cwd, signal }: { cwd: string; signal?: AbortSignal }) => {
    const { code, stdout, stderr } = await pi.exec(process.execPath, ["--run", script], { cwd, signal });
    return { exit_code: code, output: `${stdout}${stderr}`.slice(-MAX_OUTPUT) };
  };

  pi.registerTool({
    name: "run_checks",
    label: "Run checks",
    description: "Runs the project's `check` script",
    parameters: Type.Object({}),
    outputSchema: CHECKS,
    annotations: HARMLESS,
    execute: async (_id, _params, signal, _onUpdate, { cwd }) =>
      answer(await runScript("check", { cwd, signal })),
  });

  pi.registerTool({
    name: "failing_tests",
    label: "Failing tests",
    description: "Runs the project's tests and names those that fail",
    parameters: Type.Object({}),
    outputSchema: FAILING,
    annotations: HARMLESS,
    async execute(_id, _params, signal, _onUpdate, { cwd }) {
      const { exit_code, output } = await runScript("test", { cwd, signal });
      const failing = [...output.matchAll(/^\s*(?:not ok|FAIL|✗|×) +(.+)$/gm)].map(([, name]) =>
        String(name),
      );
      return answer({ exit_code, failing });
    },
  });

  pi.registerTool({
    name: "review_diff",
    label: "Review the diff",
    description: "Lists the files that changed, runs the checks and the tests, and puts the three together",
    parameters: Type.Object({}),
    outputSchema: REVIEW,
    annotations: HARMLESS,
    async execute(_id, _params, signal, _onUpdate, ctx) {
      const diff = await pi.exec("git", ["diff", "--name-only", "HEAD"], { cwd: ctx.cwd, signal });
      const [checks, tests] = await Promise.all(
        ["run_checks", "failing_tests"].map((name) => call(name, ctx)),
      );
      const review = {
        files: diff.stdout.split("\n").filter(Boolean),
        ...(checks?.data ? { checks: checks.data } : {}),
        ...(tests?.data ? { tests: tests.data } : {}),
        notes: [checks, tests].flatMap((part) => (part?.note ? [part.note] : [])),
      };
      return answer(review);
    },
  });
}

/** Another tool of the session, through pi's own checks: a permission extension sees it as it sees a call of the model. */
async function call(name: string, ctx: ExtensionToolContext) {
  const { result, isError } = await ctx.executeTool(name, {});
  if (!isError) return { data: result.structuredContent };
  const reason = result.content.map((block) => ("text" in block ? block.text : "")).join("\n");
  return { note: `${name} did not run: ${reason}` };
}

/** Text for the model, and the same as data for programs. */
const answer = <Data extends object>(data: Data) => ({
  content: [{ type: "text" as const, text: JSON.stringify(data) }],
  details: undefined,
  structuredContent: data as never,
});
