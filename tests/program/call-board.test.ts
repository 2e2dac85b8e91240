/** The calls of one run on the host's side. */

import { beforeEach, describe, expect, test } from "vitest";
import { CallBoard } from "../../src/program/call-board.ts";
import type { Binding, CallReply } from "../../src/program/outcome.ts";
import { ok } from "./vessels.ts";

/** A binding whose calls are answered by the test. */
class Held implements Binding {
  readonly calls: {
    signal: AbortSignal;
    onUpdate: (text: string) => void;
    answer: (reply: CallReply) => void;
  }[] = [];
  readonly name: string;
  readonly countsTime: boolean;

  constructor(name: string, countsTime = true) {
    this.name = name;
    this.countsTime = countsTime;
  }

  call: Binding["call"] = (_args, { signal, onUpdate }) => {
    const { promise, resolve } = Promise.withResolvers<CallReply>();
    this.calls.push({ signal, onUpdate, answer: resolve });
    return promise;
  };
}

let replies: [id: number, reply: CallReply][];
let warnings: string[];
let changes: number;
beforeEach(() => {
  replies = [];
  warnings = [];
  changes = 0;
});

function board(bindings: Binding[], limits: { maxParallel?: number; maxOpen?: number } = {}): CallBoard {
  return new CallBoard({
    bindings,
    maxParallel: limits.maxParallel ?? 2,
    maxOpen: limits.maxOpen ?? 100,
    elapsedMs: () => 7,
    reply: (id, reply) => replies.push([id, reply]),
    onChange: () => (changes += 1),
    onWarning: (warning) => warnings.push(warning),
  });
}

const settled = (): Promise<void> => new Promise(setImmediate);
const statuses = (of: CallBoard): string[] => of.records().map((record) => record.status);

describe("calls", () => {
  test("execute as many at once as there are slots, the others in order", async () => {
    const tool = new Held("tool");
    const calls = board([tool]);
    for (const id of [1, 2, 3]) expect(calls.accept(id, "tool", {})).toBeUndefined();
    await settled();
    expect(statuses(calls)).toEqual(["running", "running", "queued"]);
    tool.calls[0]?.answer(ok("one"));
    await settled();
    expect(statuses(calls)).toEqual(["ok", "running", "running"]);
    expect(replies.map(([id]) => id)).toEqual([1]);
  });

  test("that keep their own time take no slot, and are told apart", async () => {
    const [child, tool] = [new Held("child", false), new Held("tool")];
    const calls = board([child, tool], { maxParallel: 1 });
    expect(calls.waitsForChildrenOnly).toBe(false);
    calls.accept(1, "child", {});
    calls.accept(2, "child", {});
    expect(calls.waitsForChildrenOnly).toBe(true);
    calls.accept(3, "tool", {});
    await settled();
    expect(statuses(calls)).toEqual(["running", "running", "running"]);
    expect(calls.waitsForChildrenOnly).toBe(false);
    tool.calls[0]?.answer(ok("x"));
    await settled();
    expect(calls.waitsForChildrenOnly).toBe(true);
  });

  test("with an id that is not the next are a fault, and so is one more than may be open", () => {
    const calls = board([new Held("tool")], { maxOpen: 2 });
    expect(calls.accept(5, "tool", {})).toBeUndefined();
    expect(calls.accept(5, "tool", {})).toMatch(/id 5 came twice or out of order/);
    expect(calls.accept(4, "tool", {})).toMatch(/out of order/);
    expect(calls.accept(6, "tool", {})).toBeUndefined();
    expect(calls.accept(7, "tool", {})).toMatch(/more than 2 calls were open \(maxPendingCalls\)/);
    expect(calls.counts.total).toBe(2);
  });

  test("of a name that is not bound fail", async () => {
    const calls = board([]);
    calls.accept(1, "nobody\u001b[1m", {});
    await settled();
    expect(replies).toEqual([
      [
        1,
        { ok: false, failure: expect.objectContaining({ message: 'no binding named "nobody" in this run' }) },
      ],
    ]);
    expect(calls.counts).toEqual({ total: 1, failed: 1 });
  });

  test("of a binding that rejects or throws fail with its words", async () => {
    const rejects: Binding = { name: "rejects", call: () => Promise.reject(new Error("no luck")) };
    const throws: Binding = {
      name: "throws",
      call: () => {
        throw new Error("our bug");
      },
    };
    const calls = board([rejects, throws]);
    calls.accept(1, "rejects", {});
    calls.accept(2, "throws", {});
    await settled();
    expect(calls.records().map((record) => [record.status, record.error])).toEqual([
      ["error", "no luck"],
      ["error", "our bug"],
    ]);
  });
});

test("records keep every call that runs, however many failed or wait", async () => {
  const tool = new Held("tool");
  const failing: Binding = { name: "failing", call: () => Promise.reject(new Error("no")) };
  const calls = board([tool, failing], { maxParallel: 10, maxOpen: 400 });
  for (let id = 1; id <= 150; id += 1) calls.accept(id, "failing", {});
  await settled();
  for (let id = 151; id <= 450; id += 1) calls.accept(id, "tool", {});
  await settled();
  const kept = statuses(calls);
  expect(kept).toHaveLength(200);
  expect(kept.filter((status) => status === "running")).toHaveLength(10);
  expect(kept.filter((status) => status === "error")).toHaveLength(100);
});

describe("a cancellation", () => {
  test("aborts what runs and what waits, and answers each with the reason when it is asked to", async () => {
    const tool = new Held("tool");
    const calls = board([tool], { maxParallel: 1 });
    calls.accept(1, "tool", {});
    calls.accept(2, "tool", {});
    await settled();
    calls.cancelAll("the deadline passed", true);
    expect(tool.calls[0]?.signal.aborted).toBe(true);
    expect(replies.map(([id, reply]) => [id, !reply.ok && reply.failure.message])).toEqual([
      [1, "the deadline passed"],
      [2, "the deadline passed"],
    ]);
    await settled();
    expect(tool.calls).toHaveLength(1);
    expect(statuses(calls)).toEqual(["canceled", "canceled"]);
    expect(calls.counts).toEqual({ total: 2, failed: 2 });
  });

  test("at the end answers nothing, and late answers change nothing", async () => {
    const tool = new Held("tool");
    const calls = board([tool]);
    calls.accept(1, "tool", {});
    await settled();
    calls.cancelAll("the program has ended", false);
    const changed = changes;
    tool.calls[0]?.answer(ok("late", { details: { truncation: { truncated: true } } }));
    await settled();
    expect(replies).toEqual([]);
    expect(warnings).toEqual([]);
    expect(changes).toBe(changed);
    expect(statuses(calls)).toEqual(["canceled"]);
  });
});

describe("records", () => {
  test("hold the newest 200 of any number, oldest first, and are copies", async () => {
    const quick: Binding = { name: "quick", call: async () => ok("") };
    const calls = board([quick]);
    for (let id = 1; id <= 1_000; id += 1) {
      calls.accept(id, "quick", {});
      if (id % 50 === 0) await settled();
    }
    await settled();
    const records = calls.records();
    expect(records.map(({ id }) => id)).toEqual(Array.from({ length: 200 }, (_, index) => 801 + index));
    (records[0] as { name: string }).name = "changed";
    expect(calls.records()[0]?.name).toBe("quick");
    expect(calls.counts).toEqual({ total: 1_000, failed: 0 });
  });

  test.each([
    [{ limit: 5, path: "a.ts" }, "a.ts"],
    [{ command: "npm test\n# all", timeout: 5 }, "npm test # all"],
    [{ pattern: "TODO", glob: "*.ts" }, "TODO"],
    [{ path: 5 }, "path: 5"],
    [{ deep: { a: 1 }, list: [1, 2], none: null }, "deep: {…}, list: Array(2), none: null"],
    [{ text: "two\nlines\u001b[1m" }, "text: two lines"],
    ["plain", "plain"],
    [7, "7"],
    [[1, 2, 3], "0: 1, 1: 2, 2: 3"],
    [null, "null"],
  ])("preview the arguments %j as %j", (args, preview) => {
    const calls = board([new Held("tool")]);
    calls.accept(1, "tool", args as never);
    expect(calls.records()[0]?.args).toBe(preview);
  });

  test("preview at most 120 characters of any arguments without walking them", () => {
    const calls = board([new Held("tool")]);
    calls.accept(1, "tool", { text: "x".repeat(1e7), more: "y".repeat(1e7) });
    expect(calls.records()[0]?.args).toMatch(/^text: x+…$/);
    expect(calls.records()[0]?.args).toHaveLength(120);
  });

  test("preview what the binding says of its arguments, and nothing when that throws", () => {
    const told: Binding = { ...new Held("told"), preview: () => "→ scout\u001b[1m:\nlook" };
    const broken: Binding = {
      ...new Held("broken"),
      preview: () => {
        throw new Error("no");
      },
    };
    const calls = board([told, broken]);
    calls.accept(1, "told", { path: "a" });
    calls.accept(2, "broken", { path: "a" });
    expect(calls.records().map(({ args }) => args)).toEqual(["→ scout: look", ""]);
  });

  test("keep calls that failed or still run when thousands came after them", async () => {
    const quick: Binding = { name: "quick", call: async () => ok("") };
    const held = new Held("held", false);
    const calls = board([quick, held]);
    calls.accept(1, "held", {});
    calls.accept(2, "nobody", {});
    for (let id = 3; id <= 2_000; id += 1) {
      calls.accept(id, "quick", {});
      if (id % 50 === 0) await settled();
    }
    await settled();
    const records = calls.records();
    expect(records.slice(0, 3).map(({ id, status }) => [id, status])).toEqual([
      [1, "running"],
      [2, "error"],
      [1_803, "ok"],
    ]);
    expect(records).toHaveLength(200);
  });

  test("carry the newest line of a tool's partial output while it runs, and not after", async () => {
    const tool = new Held("tool");
    const calls = board([tool]);
    calls.accept(1, "tool", {});
    await settled();
    tool.calls[0]?.onUpdate("first\nsecond \u001b[32mgreen\u001b[0m\n\n");
    expect(calls.records()[0]).toMatchObject({ status: "running", partial: "second green" });
    tool.calls[0]?.answer(ok("x"));
    await settled();
    expect(calls.records()[0]).not.toHaveProperty("partial");
    expect(calls.records()[0]).toMatchObject({ status: "ok", durationMs: 0, startedMs: 7 });
  });
});

describe("a result that the tool cut", () => {
  const cut = (truncation: unknown): Binding => ({
    name: "read",
    call: async () => ok("part", { details: { truncation } }),
  });

  test.each([[{ truncated: true }], [{}]])("is warned about once a tool: %j", async (truncation) => {
    const calls = board([cut(truncation)]);
    for (const id of [1, 2, 3]) calls.accept(id, "read", {});
    await settled();
    await settled();
    expect(warnings).toEqual([expect.stringContaining("read cut its own result")]);
  });

  test.each([[{ truncated: false }], [null], [undefined], [true], [[1]]])(
    "is none when it says otherwise: %j",
    async (truncation) => {
      const calls = board([cut(truncation)]);
      calls.accept(1, "read", {});
      await settled();
      expect(warnings).toEqual([]);
    },
  );
});
