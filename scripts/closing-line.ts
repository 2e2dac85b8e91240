/**
 * A vitest reporter that counts. It writes the counts to the file `PTC_TEST_COUNTS` names, for
 * scripts/test.ts to print when vitest has said everything it has to say.
 */

import { writeFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";

/** Counts of one run. `failed` includes files and hooks that broke, and errors outside any test. */
export interface TestCounts {
  passed: number;
  failed: number;
}

/** The line a run ends with. */
export function closingLine({ passed, failed }: TestCounts): string {
  return `${passed} passed, ${failed} failed`;
}

export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const path = process.env["PTC_TEST_COUNTS"];
    if (!path) return;
    const counts: TestCounts = { passed: 0, failed: unhandled.length };
    for (const module of modules) count(module, counts);
    writeFileSync(path, JSON.stringify(counts));
  }
}

function count(module: TestModule, counts: TestCounts): void {
  counts.failed += module.errors().length;
  for (const suite of module.children.allSuites()) counts.failed += suite.errors().length;
  for (const test of module.children.allTests()) {
    const { state } = test.result();
    if (state === "passed") counts.passed += 1;
    if (state === "failed") counts.failed += 1;
  }
}
