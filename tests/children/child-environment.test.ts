import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { childEnvironment, runMarker } from "../../src/children/child-environment.ts";

const PLACE = {
  depth: 2,
  treeSlots: 10,
  marker: "m1",
  parent: "9-8-0a1b2c3d",
  readOnly: false,
  bounds: "{}",
};

describe("a child's environment", () => {
  test("is its parent's with its place in the tree, and nothing more", () => {
    expect(childEnvironment({ PATH: "/bin", HOME: "/h", EMPTY: "", GONE: undefined }, PLACE)).toEqual({
      PATH: "/bin",
      HOME: "/h",
      EMPTY: "",
      PI_PTC_DEPTH: "2",
      PI_PTC_TREE_SLOTS: "10",
      PI_PTC_RUN: "m1",
      PI_PTC_PARENT: "9-8-0a1b2c3d",
      PI_PTC_BOUNDS: "{}",
    });
  });

  test("replaces what its parent was told itself; the id of a task goes on to what belongs to it", () => {
    const inherited = {
      PI_PTC_DEPTH: "1",
      PI_PTC_TREE_SLOTS: "28",
      PI_PTC_RUN: "m0",
      PI_PTC_TASK_ID: "01A",
      PI_PTC_PARENT: "1-1-00000000",
      PI_PTC_BOUNDS: "above",
    };
    expect(childEnvironment(inherited, PLACE)).toEqual({
      PI_PTC_TASK_ID: "01A",
      PI_PTC_DEPTH: "2",
      PI_PTC_TREE_SLOTS: "10",
      PI_PTC_RUN: "m1",
      PI_PTC_PARENT: "9-8-0a1b2c3d",
      PI_PTC_BOUNDS: "{}",
    });
    expect(childEnvironment(inherited, { ...PLACE, taskId: "01B" })).toMatchObject({ PI_PTC_TASK_ID: "01B" });
  });

  test("marks a read-only child, and lifts that mark from none below it", () => {
    expect(childEnvironment({}, { ...PLACE, readOnly: true })).toMatchObject({ PI_PTC_READ_ONLY: "1" });
    expect(childEnvironment({ PI_PTC_READ_ONLY: "1" }, PLACE)).toMatchObject({ PI_PTC_READ_ONLY: "1" });
  });

  test.each([
    ["--inspect", undefined],
    ["--inspect-brk=127.0.0.1:9229", undefined],
    ["--inspect-wait --inspect-port 9230", undefined],
    ["--inspect-port=0 --max-old-space-size=200", "--max-old-space-size=200"],
    ["--debug-port 1 --enable-source-maps", "--enable-source-maps"],
    ["--inspect-publish-uid=stderr,http", undefined],
    ['"--inspect=9229" --require "/a b/c.js"', '--require "/a b/c.js"'],
    ['--require "/a \\"b/--inspect.js" --inspect-brk', '--require "/a \\"b/--inspect.js"'],
    ["--import ./inspect.mjs --title=--inspect", "--import ./inspect.mjs --title=--inspect"],
    ["", undefined],
  ])("passes of NODE_OPTIONS %j on %j", (options, kept) => {
    expect(childEnvironment({ NODE_OPTIONS: options }, PLACE)["NODE_OPTIONS"]).toBe(kept);
  });

  test("leaves options that a real Node accepts, and no debugger listens", () => {
    const env = childEnvironment(
      { ...process.env, NODE_OPTIONS: '--inspect=127.0.0.1:0 --title="a b" --inspect-port 0' },
      PLACE,
    );
    const script = "console.log(process.title, require('node:inspector').url())";
    expect(execFileSync(process.execPath, ["-e", script], { env, encoding: "utf8" })).toBe("a b undefined\n");
  });

  test("is without an editor's hooks", () => {
    expect(childEnvironment({ VSCODE_INSPECTOR_OPTIONS: "{}", BUN_INSPECT: "x", PATH: "p" }, PLACE)).toEqual(
      childEnvironment({ PATH: "p" }, PLACE),
    );
  });
});

describe("a run's marker", () => {
  test("begins with the marker of the run it belongs to", () => {
    expect(runMarker({}, "b-2")).toBe("b-2");
    expect(runMarker({ PI_PTC_RUN: "a_1" }, "b-2")).toBe("a_1/b-2");
    expect(runMarker({ PI_PTC_RUN: "a/b" }, "c")).toBe("a/b/c");
  });

  test.each(["", "/", "a b", "a//b", "a/", `a${"/b".repeat(40)}`, "ü"])(
    "ignores %j above it, which is no marker",
    (above) => expect(runMarker({ PI_PTC_RUN: above }, "c")).toBe("c"),
  );
});
