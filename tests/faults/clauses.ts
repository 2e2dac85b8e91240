/**
 * Spec 6, clause by clause, and the tests that hold each. A list is text: `<item> <clause>`, then one indented
 * `<file>: <title>` a test, with ` > <row>` where one row of the test's table is meant.
 */

import { CHILD_CLAUSES } from "./clauses-of-children.ts";
import { HOST_CLAUSES } from "./clauses-of-host.ts";
import { PROGRAM_CLAUSES } from "./clauses-of-programs.ts";
import { TASK_CLAUSES } from "./clauses-of-tasks.ts";

/** One test, as its source has it. */
export interface ClauseTest {
  /** Below `tests`, without `.test.ts`. */
  file: string;
  title: string;
  /** Text of the row in the test's table. */
  row?: string;
}

/** One clause of the spec. */
export interface Clause {
  item: number;
  clause: string;
  tests: ClauseTest[];
}

/** Every clause that is listed; `parseClauses` throws for a line that is none. */
export const CLAUSES: readonly Clause[] = parseClauses(
  PROGRAM_CLAUSES + CHILD_CLAUSES + TASK_CLAUSES + HOST_CLAUSES,
);

function parseClauses(text: string): Clause[] {
  const clauses: Clause[] = [];
  for (const line of text.split("\n").filter((candidate) => candidate.trim() !== "")) {
    const heading = /^(\d+) (.+)$/.exec(line);
    const test = /^ {2}([\w/-]+): (.+?)(?: > (.+))?$/.exec(line);
    if (heading) clauses.push({ item: Number(heading[1]), clause: heading[2] as string, tests: [] });
    else if (test) {
      const [, file, title, row] = test as unknown as [string, string, string, string | undefined];
      clauses.at(-1)?.tests.push({ file, title, ...(row === undefined ? {} : { row }) });
    } else throw new Error(`no clause and no test: ${line}`);
  }
  return clauses;
}
