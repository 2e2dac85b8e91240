/** One suite for every vessel: each test runs in a process, a thread and a QuickJS VM, but for the listed exceptions. */

import { relative } from "node:path";
import { beforeAll, beforeEach, describe, type RunnerTask, type RunnerTestFile } from "vitest";

import type { VesselKind } from "../../src/program/request.ts";
import { VESSEL_EXCEPTIONS } from "./vessel-exceptions.ts";

/** Every vessel there is. */
export const VESSELS: readonly VesselKind[] = ["process", "thread", "quickjs"];

const TESTS = new URL("..", import.meta.url).pathname;

/** Defines a suite that runs on each vessel; `%s` in the name is the vessel. */
export function describeOnVessels(name: string, body: (vessel: VesselKind) => void): void {
  // oxlint-disable-next-line vitest/valid-title -- the caller's
  describe.each(VESSELS)(name, (vessel) => {
    // oxlint-disable-next-line no-empty-pattern -- vitest reads which fixtures are wanted from it
    beforeAll(({}, { file }) => expectUsed(vessel, file, name));
    beforeEach(({ task, skip }) => {
      if (exempt(vessel, task.file).includes(task.name)) skip();
    });
    body(vessel);
  });
}

function exempt(vessel: VesselKind, { filepath }: { filepath: string }): string[] {
  const path = relative(TESTS, filepath);
  return VESSEL_EXCEPTIONS.filter((entry) => entry.vessel === vessel && entry.file === path).flatMap(
    ({ titles }) => [...titles],
  );
}

/** An exception that no test of the file answers to any more must go. */
function expectUsed(vessel: VesselKind, file: RunnerTestFile, name: string): void {
  const titles = new Set(file.tasks.flatMap(titlesBelow));
  const unused = exempt(vessel, file).filter((title) => !titles.has(title));
  if (unused.length > 0)
    throw new Error(`${name}: no test has the title of an exception for ${vessel}: ${unused.join("; ")}`);
}

const titlesBelow = (task: RunnerTask): string[] =>
  task.type === "suite" ? task.tasks.flatMap(titlesBelow) : [task.name];
