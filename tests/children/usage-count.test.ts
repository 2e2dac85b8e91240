import { expect, test } from "vitest";
import {
  answer,
  call,
  concluded,
  folded,
  line,
  opening,
  text,
  told,
  toolCall,
  usage,
  whole,
} from "./child-lines.ts";

test("usage of calls that tools made counts once, as pi rolled it up", () => {
  // Recorded: outer spends 1 itself and calls middle (10), which calls inner (100), and inner again.
  const lines = whole(
    ...answer([toolCall("c", "outer")], { stopReason: "toolUse", usage: usage(0, 0) }),
    call("c", "outer")[0],
    call("c/1", "middle", { parent: "c" })[0],
    ...call("c/1/1", "inner", { parent: "c/1", result: { usage: usage(100, 100) } }),
    call("c/1", "middle", { parent: "c", result: { usage: usage(10, 10) } })[1],
    ...call("c/2", "inner", { parent: "c", result: { usage: usage(100, 100) } }),
    call("c", "outer", { result: { usage: usage(1, 1) } })[1],
    ...told("c", "outer", { usage: { ...usage(211, 211), cacheRead: 28, cacheWrite: 12 } }),
    ...answer([text("Done.")], { usage: usage(0, 0) }),
  );
  expect(concluded(lines).usage).toEqual({
    input: 211,
    output: 21.1,
    cacheRead: 42,
    cacheWrite: 18,
    cost: 211,
    turns: 2,
  });
});

test("a child that is stopped in a call has spent what its calls reported so far", () => {
  const lines = [
    ...opening(),
    ...answer([toolCall("c", "outer")], { stopReason: "toolUse" }),
    call("c", "outer")[0],
    call("c/1", "middle", { parent: "c" })[0],
    ...call("c/1/1", "inner", { parent: "c/1", result: { usage: usage(100, 100) } }),
  ];
  expect(folded(lines).progress().usage).toMatchObject({ input: 200, cost: 100.5 });
  expect(concluded(lines, { stoppedBecause: "stopped" }).usage).toMatchObject({ input: 200, cost: 100.5 });
});

test("a call its tool did not wait for counts when it ends, also when the id of its caller comes again", () => {
  const round = (): string[] => [
    call("c", "outer")[0],
    call("c/1", "slow", { parent: "c" })[0],
    call("c", "outer")[1],
    ...told("c", "outer"),
    call("c/1", "slow", { parent: "c", result: { usage: usage(1_000, 3) } })[1],
  ];
  const rolledUp = [
    call("c", "outer")[0],
    ...call("c/1", "slow", { parent: "c", result: { usage: usage(1_000, 3) } }),
    call("c", "outer")[1],
    ...told("c", "outer", { usage: usage(1_000, 3) }),
  ];
  const { usage: spent } = concluded(whole(...round(), ...round(), ...rolledUp, ...answer([text("Done.")])));
  expect(spent).toMatchObject({ input: 3_100, cost: 9.5, turns: 1 });
});

test("what session entries spent counts: an extension's compaction, a branch summary, a warm cache", () => {
  const entries = ["compaction", "branch_summary", "usage", "custom"].map((type) =>
    line({ type: "entry_appended", entry: { type, id: type, usage: usage(10, 1) } }),
  );
  const lines = whole(...entries, ...answer([text("Done.")]));
  expect(concluded(lines).usage).toMatchObject({ input: 130, cost: 3.5, turns: 1 });
});

test("numbers that are none count as nothing and cannot make the sums infinite", () => {
  const odd = { input: -5, output: "12", cacheRead: 1e308, cacheWrite: null, cost: { total: 1e308 } };
  const lines = whole(
    ...answer([text("a")], { usage: odd }),
    ...answer([text("b")], { usage: { cost: null } }),
  );
  expect(concluded(lines).usage).toEqual({
    input: 0,
    output: 0,
    cacheRead: 1e15,
    cacheWrite: 0,
    cost: 1e15,
    turns: 2,
  });
});

test("without an answer and without usage there is no usage", () => {
  expect(concluded(opening())).not.toHaveProperty("usage");
});
