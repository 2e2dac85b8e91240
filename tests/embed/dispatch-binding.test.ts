/** `pi.dispatch` without a session (spec 7): bound by default, taken exactly when named, counted in its run. */

import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { createBuiltinBindings, runPtcProgram } from "../../src/index.ts";
import { answer, eventually, PlayRoom, SCRIPTED } from "../children/played-child.ts";

const room = new PlayRoom();
const { folder } = room;
const record = join(folder, "record.jsonl");
/** Children end when it exists. */
let go: string;
let number = 0;

beforeEach(() => {
  const command = join(folder, "a pi");
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${SCRIPTED}' "$@"\n`);
  chmodSync(command, 0o755);
  number += 1;
  go = join(folder, `go-${number}`);
  writeFileSync(record, "");
  vi.stubEnv("PI_PTC_COMMAND", command);
  vi.stubEnv("PTC_CHILD_SCRIPT", room.script([{ until: go }, answer("from the child")]));
  vi.stubEnv("PTC_CHILD_RECORD", record);
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => room.close());

const startedChildren = (): number => readFileSync(record, "utf8").split("\n").filter(Boolean).length;

test("a program without a session starts children, at most as many at once as its run allows", async () => {
  const code = `const all = await Promise.all([1, 2, 3].map(() => tools["pi.dispatch"]({ task: "go" })));
    return all.map((r) => [r.status, r.text, r.started, (r.errorMessage ?? "").slice(0, 34)])`;
  const outcome = await runPtcProgram({
    code,
    cwd: folder,
    bindings: createBuiltinBindings({ cwd: folder }),
    config: { dispatchConcurrency: 2 },
    onUpdate: (progress) => {
      if (progress().calls.failed > 0) writeFileSync(go, "");
    },
  });
  // Which of the three is one too many depends on whose models were read first.
  expect((outcome.value as string[][]).toSorted()).toEqual([
    ["fulfilled", "from the child", true, ""],
    ["fulfilled", "from the child", true, ""],
    ["rejected", "", false, "dispatch concurrency limit reached"],
  ]);
  expect(outcome.calls).toEqual({ total: 3, failed: 1 });
});

test("two runs with the same bindings do not share a counter", async () => {
  const bindings = createBuiltinBindings({ cwd: folder, names: ["pi.dispatch"] });
  const code = 'return (await tools["pi.dispatch"]({ task: "go" })).status';
  const runs = [1, 2].map(() =>
    runPtcProgram({ code, cwd: folder, bindings, config: { dispatchConcurrency: 1 } }),
  );
  try {
    await eventually(() => startedChildren() === 2, "both children run at once");
  } finally {
    writeFileSync(go, "");
  }
  expect((await Promise.all(runs)).map(({ value }) => value)).toEqual(["fulfilled", "fulfilled"]);
});

test("a binding that no run has taken refuses in words", async () => {
  const [binding] = createBuiltinBindings({ cwd: folder, names: ["pi.dispatch"] });
  const reply = await binding?.call(
    { task: "go" },
    { signal: AbortSignal.abort(), onUpdate: () => undefined },
  );
  expect(reply).toMatchObject({
    ok: true,
    raw: { status: "rejected", started: false, errorMessage: expect.stringContaining("runPtcProgram") },
  });
});

test("an explicit list without pi.dispatch binds none", async () => {
  const outcome = await runPtcProgram({
    code: "return ptcBindings",
    bindings: createBuiltinBindings({ cwd: folder, names: ["read"] }),
  });
  expect(outcome.value).toEqual(["read"]);
});
