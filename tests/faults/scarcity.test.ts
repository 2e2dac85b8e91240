/** What a system may refuse a host (faults 15 and 18): files, folders, descriptors, executables. The result arrives all the same. */

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeOnVessels } from "../program/conformance.ts";
import { runHost } from "./processes.ts";

/** Prints more than a result shows, so that the rest needs a file. */
const LONG = "for (let i = 0; i < 3000; i++) console.log('line ' + i); return 'the value'";
const SCARCE =
  /^(?:no worker could be started|the compiler could not be started|the engine could not be loaded|.*thread failed): .*(?:EMFILE|too many open files)/i;
const limited = (limit: string): string[] => ["sh", "-c", `ulimit ${limit}; exec "$@"`, "sh"];

describe("a complete text that cannot be kept", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "ptc-scarce-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each([
    ["is larger than files may be", () => folder, limited("-f 1"), /EFBIG/],
    ["has a folder where nobody may write", () => "/sys", [], /EACCES|EROFS|EPERM/],
    ["has no folder", () => join(folder, "missing"), [], /ENOENT/],
    ["has a file for a folder", () => "/dev/null", [], /ENOTDIR/],
  ])(
    "because it %s leaves the result with a warning and no half file",
    async (_why, outputDir, wrap, code) => {
      const order = { isolation: "process", runs: [{ source: LONG }], outputDir: outputDir() } as const;
      const { code: exit, reports } = await runHost(order, { wrap });
      expect(exit).toBe(0);
      expect(reports[0]).toMatchObject({ ok: true, value: "the value" });
      expect(reports[0]?.text).toMatch(/Warning: the full output could not be written to a file: .*$/);
      expect(reports[0]?.text).toMatch(code);
      expect(readdirSync(folder)).toEqual([]);
    },
  );
});

describeOnVessels("a host with few descriptors left for a %s", (isolation) => {
  test("refuses in words what it cannot start, and starts it when it can", async () => {
    const few = [0, 2, 4, 6, 8, 10, 14].map((freeDescriptors) => ({ source: "return 1", freeDescriptors }));
    const runs = [...few, { source: "return 2" }, { source: "return 3" }];
    const { code, signal, stderr, reports } = await runHost({ isolation, runs }, { wrap: limited("-n 80") });
    expect({ code, signal, stderr, runs: reports.length }).toEqual({
      code: 0,
      signal: null,
      stderr: "",
      runs: runs.length,
    });
    expect(reports[0]?.kind).toBe("refused");
    for (const { ok, kind, message } of reports) {
      if (!ok) expect({ kind, message }).toEqual({ kind: "refused", message: expect.stringMatching(SCARCE) });
    }
    expect(reports.slice(-2).map(({ value }) => value)).toEqual([2, 3]);
  });
});

test("a host whose executable is gone refuses programs in words", async () => {
  const { code, reports } = await runHost({
    isolation: "process",
    runs: [{ source: "return 1" }],
    execPath: "/nowhere/node",
  });
  expect(code).toBe(0);
  expect(reports[0]).toMatchObject({ kind: "refused", message: expect.stringContaining("ENOENT") });
});
