/** What programs may do to the process that runs them (faults 1, 3, 6, 7): measured in hosts of their own. */

import { beforeAll, expect, test } from "vitest";
import type { HostOrder, HostReport } from "../fixtures/measuring-host.ts";
import { describeOnVessels } from "../program/conformance.ts";
import { type HostEnd, runHost } from "./processes.ts";

/** No array that grows: where one lives in a thread, V8 may abort the host before it can stop the program. */
const OBJECTS = "let all; for (;;) all = { a: [1, 2, 3], all }";
const RUNS = {
  first: { source: "return 1" },
  loop: { source: "for (;;) {}", timeoutMs: 1_500 },
  microtasks: { source: "for (;;) await null", timeoutMs: 1_500 },
  objects: { source: OBJECTS },
  moreObjects: { source: OBJECTS, times: 2 },
  calls: {
    source:
      "const all = await Promise.all(Array.from({ length: 5000 }, () => tools.touch())); return all.length",
  },
  flood: { source: "for (;;) console.log('')", timeoutMs: 1_500 },
  aborts: { source: "console.log('on'); for (;;) {}", abort: true, times: 30 },
} satisfies Record<string, HostOrder["runs"][number]>;
/** Far under the deadlines above, far over what a busy machine makes of a healthy loop. */
const MAX_STALL_MS = 1_000;

describeOnVessels("a host whose programs run in a %s", (isolation) => {
  let end: HostEnd;
  let reports: Record<keyof typeof RUNS, HostReport>;
  beforeAll(async () => {
    end = await runHost({
      isolation,
      config: { maxOldGenerationSizeMb: 64, graceMs: 0 },
      runs: Object.values(RUNS),
    });
    reports = Object.fromEntries(
      Object.keys(RUNS).map((name, index) => [name, end.reports[index]]),
    ) as typeof reports;
  }, 60_000);

  test("hears how each ended, and ends well itself", () => {
    expect(end).toMatchObject({ code: 0, stderr: "" });
    const kinds = Object.values(reports).map(({ kind }) => kind ?? "ok");
    const memory = "out-of-memory";
    expect(kinds).toEqual(["ok", "timeout", "timeout", memory, memory, "ok", "timeout", "abort"]);
    expect(reports.objects.message).toContain("64 MiB (maxOldGenerationSizeMb)");
    expect(reports.calls.value).toBe(5_000);
  });

  test("has an event loop that kept ticking", () => {
    for (const { stallMs } of Object.values(reports)) expect(stallMs).toBeLessThan(MAX_STALL_MS);
  });

  test("has its processes, threads, descriptors and processor back after each", () => {
    const { first } = reports;
    for (const report of Object.values(reports)) {
      expect(report).toMatchObject({ children: first.children, threads: first.threads });
      expect(report.descriptors).toBeLessThan(first.descriptors + 3);
      expect(report.idleCpuMs).toBeLessThan(150);
    }
  });

  test("needs few descriptors for 5000 calls at once", () => {
    expect(reports.calls.mostDescriptors).toBeGreaterThan(0);
    expect(reports.calls.mostDescriptors).toBeLessThan(reports.first.descriptors + 20);
  });

  test("has its memory back", () => {
    // What a thread freed may stay with the process for a while, but is used again.
    const slackMiB = isolation === "process" ? 64 : 192;
    for (const { rssMiB } of [reports.objects, reports.moreObjects, reports.flood])
      expect(rssMiB).toBeLessThan(reports.first.rssMiB + slackMiB);
  });
});

test("a host ends at once after programs in processes that block in native code", async () => {
  const runs = [
    "(await import('node:child_process')).execSync('sleep 61')",
    "const text = `[${'1,'.repeat(5e7)}1]`; JSON.parse(text)",
    "(await import('node:crypto')).pbkdf2Sync('a', 'b', 1e9, 64, 'sha512')",
  ].map((source) => ({ source: `console.log('kept'); ${source}; return 1`, timeoutMs: 700 }));
  const { code, reports, exitMs } = await runHost({ isolation: "process", runs, end: "exit" });
  expect(reports.map(({ kind }) => kind)).toEqual(["timeout", "timeout", "timeout"]);
  for (const report of reports) {
    expect(report.text).toContain("kept");
    expect(report.idleCpuMs).toBeLessThan(150);
    expect(report.durationMs).toBeLessThan(5_000);
  }
  expect(code).toBe(0);
  expect(exitMs).toBeLessThan(5_000);
});
