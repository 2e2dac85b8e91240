/** What embedders get wrong is told by its own name, with what would be right (spec 7). */

import { expect, test } from "vitest";
import { createBackgroundTaskRuntime, createBuiltinBindings, runPtcProgram } from "../../src/index.ts";

const call = async () => ({ ok: true, raw: 1 });
const CODE = "return 1";

test.each<[options: unknown, sentence: string]>([
  [undefined, "options is undefined; it must be an object with code and bindings"],
  ["return 1", 'options is "return 1"; it must be an object with code and bindings'],
  [{ bindings: [] }, "code is undefined; it must be a string"],
  [{ code: 5, bindings: [] }, "code is 5; it must be a string"],
  [{ code: CODE }, "bindings is undefined; it must be an array, as createBuiltinBindings makes it"],
  [{ code: CODE, bindings: [], timeoutMs: 5 }, "timeoutMs is unknown; it is a limit and belongs into config"],
  [{ code: CODE, bindings: [], onUpdat: call }, "onUpdat is unknown (did you mean onUpdate?)"],
  [{ code: CODE, bindings: [], zzzzzzzz: 1 }, "zzzzzzzz is unknown; known: code, bindings, tool"],
  [{ code: CODE, bindings: [], tool: "fly" }, 'tool is "fly"; it must be one of run, workflow'],
  [{ code: CODE, bindings: [], cwd: 5 }, "cwd is 5; it must be a string that is not empty"],
  [{ code: CODE, bindings: [], signal: {} }, "signal is an object; it must be an AbortSignal"],
  [{ code: CODE, bindings: [], onUpdate: 5 }, "onUpdate is 5; it must be a function"],
  [{ code: CODE, bindings: [], config: "fast" }, 'config is "fast"; it must be an object'],
  [
    { code: CODE, bindings: [], config: { timeoutMS: 5 } },
    "config.timeoutMS is unknown (did you mean config.timeoutMs?)",
  ],
  [
    { code: CODE, bindings: [], config: { timeoutMs: "5" } },
    'config.timeoutMs is "5"; it must be a whole number',
  ],
  [
    { code: CODE, bindings: [], runtime: {} },
    "runtime is an object; it must be one that createBackgroundTaskRuntime",
  ],
  [{ code: CODE, bindings: [call] }, "bindings[0] is a function; it must be an object with name and call"],
  [{ code: CODE, bindings: [{ name: "x" }] }, "bindings[0].call is undefined; it must be a function"],
  [
    { code: CODE, bindings: [{ name: "", call }] },
    'bindings[0].name is ""; it must be a string that is not empty',
  ],
  [
    { code: CODE, bindings: [{ name: "x", call, countTime: false }] },
    "bindings[0].countTime is unknown (did you mean countsTime?)",
  ],
  [
    {
      code: CODE,
      bindings: [
        { name: "x", call },
        { name: "y", call },
        { name: "x", call },
      ],
    },
    'bindings[2].name is "x", as is that of bindings[0]; give each a name of its own',
  ],
])("runPtcProgram rejects %j by name", async (options, sentence) => {
  const rejection = await runPtcProgram(options as never).catch((error: unknown) => error);
  expect(rejection).toBeInstanceOf(TypeError);
  expect((rejection as Error).message).toContain(`runPtcProgram: ${sentence}`);
});

test("a program takes options that are undefined for absent, and bindings that are objects of another kind", async () => {
  class Counter {
    name = "count";
    more = "of its own";
    #calls = 0;
    async call() {
      return { ok: true as const, raw: (this.#calls += 1) };
    }
  }
  const options = { tool: undefined, cwd: undefined, signal: undefined, config: undefined, other: undefined };
  const { value } = await runPtcProgram({
    code: "await tools.count({}); return tools.count({})",
    bindings: [new Counter()],
    ...(options as object),
  });
  expect(value).toBe(2);
});

test.each<[answer: unknown, sentence: string]>([
  [5, "it is 5; it must be { ok: true, raw }, { ok: true, value"],
  [undefined, "it is undefined; it must be { ok: true, raw }"],
  [{ content: [] }, "ok is undefined; it must be { ok: true, raw }"],
  [{ ok: true }, "there is neither raw nor value"],
  [{ ok: true, value: "text" }, 'value is "text"; it must be an object with content'],
  [{ ok: true, value: { content: "hi" } }, 'value.content is "hi"; it must be an array of blocks'],
  [{ ok: true, value: { content: [null] } }, "value.content is an array; it must be an array of blocks like"],
  [{ ok: false }, "failure is undefined; it must be an object with message and content"],
  [{ ok: false, failure: { message: "m" } }, "failure.content is undefined; it must be an array of blocks"],
  [{ ok: false, failure: { content: [] } }, "failure.message is undefined; it must be a string"],
])("a binding that answers %j fails the call and says what is wrong with it", async (answer, sentence) => {
  const { value } = await runPtcProgram({
    code: "return tools.x({}).catch((error) => [error.constructor.name, error.message])",
    bindings: [{ name: "x", call: async () => answer as never }],
  });
  expect(value).toEqual([
    "ToolCallError",
    expect.stringContaining(`the binding "x" gave no answer: ${sentence}`),
  ]);
});

test.each<[options: unknown, sentence: string]>([
  [undefined, "options is undefined; it must be an object with cwd"],
  [{}, "cwd is undefined; it must be a string that is not empty"],
  [{ cwd: "/", names: "read" }, 'names is "read"; it must be an array'],
  [{ cwd: "/", name: ["read"] }, "name is unknown (did you mean names?)"],
  [{ cwd: "/", names: ["read", 5] }, "unknown name 5; known: read"],
])("createBuiltinBindings throws for %j by name", (options, sentence) => {
  expect(() => createBuiltinBindings(options as never)).toThrow(`createBuiltinBindings: ${sentence}`);
});

test.each<[options: unknown, sentence: string]>([
  [null, "options is null; it must be an object"],
  [{ concurency: 2 }, "concurency is unknown (did you mean concurrency?)"],
  [{ concurrency: 0 }, "concurrency is 0; it must be a whole number from 1 to 256"],
  [{ onEnd: "log" }, 'onEnd is "log"; it must be a function'],
  [{ retention: { taskDay: 3 } }, "retention.taskDay is unknown (did you mean retention.taskDays?)"],
  [{ retention: { taskDays: 0 } }, "retention.taskDays is 0; it must be a number from 1 to 3650"],
])("createBackgroundTaskRuntime throws for %j by name", (options, sentence) => {
  expect(() => createBackgroundTaskRuntime(options as never)).toThrow(
    `createBackgroundTaskRuntime: ${sentence}`,
  );
});

test("a runtime rejects questions with slips by name", async () => {
  const runtime = createBackgroundTaskRuntime();
  try {
    await expect(runtime.list({ status: "running" } as never)).rejects.toThrow(
      'list: status is "running"; it must be an array',
    );
    await expect(runtime.list({ limt: 5 } as never)).rejects.toThrow(
      "list: limt is unknown (did you mean limit?)",
    );
    await expect(runtime.output("x", { maxByte: 5 } as never)).rejects.toThrow(
      "output: maxByte is unknown (did you mean maxBytes?)",
    );
  } finally {
    await runtime.close();
  }
});
