/** `pi.dispatch` without a session (spec 7): bound by default, taken exactly when named, counted in its run. */

import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createBuiltinBindings, runPtcProgram } from "../../src/index.ts";

const folder = mkdtempSync(join(tmpdir(), "ptc-embed-dispatch-"));
const command = join(folder, "a pi");
const script = join(folder, "script.json");

beforeEach(() => {
  const scripted = join(import.meta.dirname, "../fixtures/scripted-child.ts");
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${scripted}' "$@"\n`);
  chmodSync(command, 0o755);
  const message = {
    role: "assistant",
    content: [{ type: "text", text: "from the child" }],
    stopReason: "stop",
    usage: null,
  };
  const events = [
    { type: "message_end", message },
    { type: "agent_settled", aborted: false },
  ];
  writeFileSync(
    script,
    JSON.stringify([{ sleepMs: 300 }, { out: events.map((event) => `${JSON.stringify(event)}\n`).join("") }]),
  );
  process.env["PI_PTC_COMMAND"] = command;
  process.env["PTC_CHILD_SCRIPT"] = script;
});

afterEach(() => {
  delete process.env["PI_PTC_COMMAND"];
  delete process.env["PTC_CHILD_SCRIPT"];
});

test("a program without a session starts children, at most as many at once as its run allows", async () => {
  const code = `const all = await Promise.all([1, 2, 3].map(() => tools["pi.dispatch"]({ task: "go" })));
    return all.map((r) => [r.status, r.text, r.started, (r.errorMessage ?? "").slice(0, 34)])`;
  const outcome = await runPtcProgram({
    code,
    cwd: folder,
    bindings: createBuiltinBindings({ cwd: folder }),
    config: { dispatchConcurrency: 2 },
  });
  expect(outcome.value).toEqual([
    ["fulfilled", "from the child", true, ""],
    ["fulfilled", "from the child", true, ""],
    ["rejected", "", false, "dispatch concurrency limit reached"],
  ]);
  expect(outcome.calls).toEqual({ total: 3, failed: 1 });
});

test("two runs with the same bindings do not share a counter", async () => {
  const bindings = createBuiltinBindings({ cwd: folder, names: ["pi.dispatch"] });
  const code = 'return (await tools["pi.dispatch"]({ task: "go" })).status';
  const runs = await Promise.all(
    [1, 2].map(() => runPtcProgram({ code, cwd: folder, bindings, config: { dispatchConcurrency: 1 } })),
  );
  expect(runs.map(({ value }) => value)).toEqual(["fulfilled", "fulfilled"]);
});

test("an explicit list without pi.dispatch binds none", async () => {
  const outcome = await runPtcProgram({
    code: "return ptcBindings",
    bindings: createBuiltinBindings({ cwd: folder, names: ["read"] }),
  });
  expect(outcome.value).toEqual(["read"]);
});
