/** Tools that call tools, under guards as a user would write them: docs/examples in pi's own session (seed nested-calls). */

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { Check } from "typebox/value";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import askByAnnotations from "../../docs/examples/ask-by-annotations.ts";
import askOnce from "../../docs/examples/ask-once.ts";
import projectChecks from "../../docs/examples/project-checks.ts";
import { build } from "../../scripts/build.ts";
import { InProcessPi, type Start } from "./in-process-pi.ts";
import { PiHome, program as jsonProgram } from "./real-pi.ts";
import { RpcPi } from "./rpc-pi.ts";

const EXAMPLES = join(import.meta.dirname, "../../docs/examples");
const SCRIPTS = { check: "echo lint is unhappy; exit 1", test: "echo 'ok one'; echo 'not ok two'; exit 1" };
const program = (code: string): [string, object][] => [["ptc_run_code", { code, description: "d" }]];

let pi: InProcessPi | undefined;
beforeAll(async () => {
  await build();
}, 60_000);
afterEach(async () => {
  await pi?.close();
  pi = undefined;
});

/** A session in a project whose checks and tests fail and in which `a.txt` has changed. */
async function start(options: Start): Promise<InProcessPi> {
  const project = { "package.json": JSON.stringify({ scripts: SCRIPTS }), "a.txt": "one\n" };
  pi = await InProcessPi.start({ mode: "rpc", project, ...options });
  const { cwd } = pi;
  const git = (...args: string[]) => execFileSync("git", args, { cwd, stdio: "ignore" });
  git("init", "-q");
  git("add", ".");
  git("-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-qm", "one");
  writeFileSync(join(cwd, "a.txt"), "two\n");
  return pi;
}

/** Notes what a guard would see. */
const spy =
  (seen: string[]) =>
  (other: ExtensionAPI): void =>
    void other.on("tool_call", ({ toolName, parentToolCallId }) => {
      seen.push(
        parentToolCallId === undefined ? toolName : `${toolName} in ${parentToolCallId.split("/").length}`,
      );
    });

const REVIEW = {
  files: ["a.txt"],
  checks: { exit_code: 1, output: "lint is unhappy\n" },
  tests: { exit_code: 1, failing: ["two"] },
  notes: [],
};

describe("tools that call tools", () => {
  test("are seen by a guard, give a non-zero exit as data, and add no entry to the transcript", async () => {
    const seen: string[] = [];
    const mine = await start({ before: [projectChecks, spy(seen)], steps: [[["review_diff", {}]], "done"] });
    await mine.ask();
    expect(seen).toEqual(["review_diff", "run_checks in 1", "failing_tests in 1"]);
    expect(mine.results.map(({ text, isError }) => [JSON.parse(text), isError])).toEqual([[REVIEW, false]]);
    const roles = mine.session.messages.map(({ role }) => role);
    expect(roles.filter((role) => role === "toolResult")).toHaveLength(1);
  });

  test("are called from a program and read there as data that fits their schemas", async () => {
    const seen: string[] = [];
    const code = `const { structuredContent: review } = await tools.review_diff({});
      const { structuredContent: checks } = await tools.run_checks({});
      return { review, same: JSON.stringify(checks) === JSON.stringify(review.checks) }`;
    const mine = await start({ before: [projectChecks, spy(seen)], steps: [program(code), "done"] });
    const [structured] = structuredOf(mine);
    await mine.ask();
    expect(seen).toEqual([
      "ptc_run_code",
      "review_diff in 1",
      "run_checks in 2",
      "failing_tests in 2",
      "run_checks in 1",
    ]);
    expect(structured()).toMatchObject({ ok: true, value: { review: REVIEW, same: true } });
    const definition = mine.session.getToolDefinition("review_diff");
    expect(Check(definition?.outputSchema as never, REVIEW)).toBe(true);
    expect(mine.session.messages.filter(({ role }) => role === "toolResult")).toHaveLength(1);
  });
});

/** `structuredContent` of the model's last own call. */
function structuredOf(mine: InProcessPi): [() => unknown] {
  let last: unknown;
  mine.api.on("tool_result", (event) => {
    if (event.parentToolCallId === undefined) last = event.structuredContent;
  });
  return [() => last];
}

/** A person who answers; the questions are noted. */
function asked(mine: InProcessPi, answer: (title: string) => boolean): string[] {
  const titles: string[] = [];
  mine.confirm = async (title) => {
    titles.push(title);
    return answer(title);
  };
  return titles;
}

describe("a guard that goes by annotations", () => {
  const guarded = { before: [projectChecks, askByAnnotations] };

  test("lets harmless tools pass, directly and nested, and asks for a program and for every `read` in it", async () => {
    const steps = [
      [["review_diff", {}]],
      program('await tools.run_checks({}); await tools.read({ path: "a.txt" }); return 1'),
      "done",
    ] as Start["steps"];
    const mine = await start({ ...guarded, steps });
    const titles = asked(mine, () => true);
    await mine.ask();
    expect(titles).toEqual(["Call ptc_run_code?", "Let the program call read?"]);
    expect(mine.results.map(({ isError }) => isError)).toEqual([false, false]);
  });

  test("blocks what is not approved: the program catches it, and a tool gets it as data", async () => {
    const code =
      'return await tools.read({ path: "a.txt" }).catch((error) => `${error.name}: ${error.message}`)';
    const mine = await start({ ...guarded, steps: [program(code), "done"] });
    asked(mine, (title) => !title.includes("read"));
    await mine.ask();
    expect(mine.results).toMatchObject([{ isError: false, text: "ToolCallError: read was not approved" }]);
  });
});

describe("a guard that asks once for a program", () => {
  const guarded = { before: [projectChecks, askOnce] };

  test("asks for it, shows it, and lets all pass that it calls; reading is never asked for", async () => {
    const code =
      'await tools.bash({ command: "true" }); await tools.read({ path: "a.txt" }); return (await tools.review_diff({})).structuredContent.files';
    const mine = await start({ ...guarded, steps: [[["read", { path: "a.txt" }]], program(code), "done"] });
    const titles = asked(mine, () => true);
    await mine.ask();
    expect(titles).toEqual(["Run this program and all it calls?"]);
    expect(mine.results[1]).toMatchObject({ isError: false, text: '["a.txt"]' });
  });

  test("stops a program that is not approved, and asks again for the next", async () => {
    const mine = await start({ ...guarded, steps: [program("return 1"), program("return 2"), "done"] });
    let times = 0;
    const titles = asked(mine, () => (times += 1) > 1);
    await mine.ask();
    expect(mine.results).toEqual([
      { name: "ptc_run_code", isError: true, text: "ptc_run_code was not approved" },
      { name: "ptc_run_code", isError: false, text: "2" },
    ]);
    expect(titles).toHaveLength(2);
  });
});

describe("ten questions at once", () => {
  let home: PiHome;
  beforeAll(async () => {
    home = await PiHome.open();
  }, 60_000);
  afterAll(() => home.close());

  test("wait for each other, while the program's clock stands still", async () => {
    const code = `return (await Promise.all(Array.from({ length: 10 }, (_, n) =>
      tools.bash({ command: "echo " + n }).then(({ content }) => content[0].text.trim(), (error) => error.message)))).join()`;
    const rpc = new RpcPi(home, {
      steps: [[jsonProgram(code, { timeoutMs: 1_500 })]],
      extensions: [join(EXAMPLES, "ask-by-annotations.ts")],
    });
    const isQuestion = (event: { type: string; [key: string]: unknown }): boolean =>
      event.type === "extension_ui_request" && event["method"] === "confirm";
    const done = rpc.prompt();
    const titles: unknown[] = [];
    for (let count = 0; count <= 10; count += 1) {
      const { id, title } = await rpc.next(isQuestion);
      titles.push(title);
      // Longer together than the program may take.
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(rpc.events.filter(isQuestion)).toHaveLength(count + 1);
      rpc.write({ type: "extension_ui_response", id, confirmed: count !== 4 });
    }
    const [end] = await done;
    expect(titles).toEqual([
      "Call ptc_run_code?",
      ...Array.from({ length: 10 }, () => "Let the program call bash?"),
    ]);
    const answers = end?.text.split(",") ?? [];
    expect(answers.filter((text) => text === "bash was not approved")).toHaveLength(1);
    expect(answers).toHaveLength(10);
    expect(await rpc.close()).toBe(0);
  }, 60_000);
});
