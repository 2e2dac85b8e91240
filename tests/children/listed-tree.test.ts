/** Which processes belong to a child, told from a list as macOS prints it: there is none to run it on. */

import { expect, test } from "vitest";
import { parseProcessList } from "../../src/base/process-list.ts";
import { findListed } from "../../src/children/stop-tree.ts";

const LISTED = parseProcessList(
  [
    "  100     1 Ss   Fri Mar  6 10:00:00 2026     pi",
    "  200   100 Ss   Fri Mar  6 10:00:01 2026     pi --mode json -p PI_PTC_RUN=aaaa",
    "  201   200 Ss   Fri Mar  6 10:00:02 2026     /bin/bash -c make",
    "  202   201 S    Fri Mar  6 10:00:03 2026     make PI_PTC_RUN=aaaa",
    "  210     1 S    Fri Mar  6 10:00:04 2026     sleep 600 PI_PTC_RUN=aaaa HOME=/",
    "  211     1 S    Fri Mar  6 10:00:05 2026     sleep 600 PI_PTC_RUN=aaaa/bbbb",
    "  300   100 Ss   Fri Mar  6 10:00:06 2026     pi --mode json -p PI_PTC_RUN=aaaa0",
    "  301   300 Z    Fri Mar  6 10:00:07 2026     (sleep)",
  ].join("\n"),
);
const pids = (pid: number | undefined, marker: string | undefined): number[] =>
  findListed(LISTED, pid, marker).map((found) => found.pid);

test("what descends from a child and what only carries its marker is found, each with its start, the child itself not", () => {
  expect(pids(200, "aaaa")).toEqual([201, 202, 210, 211]);
  expect(findListed(LISTED, 200, "aaaa")[0]).toEqual({
    pid: 201,
    startTime: String(Date.UTC(2026, 2, 6, 10, 0, 2) / 1000),
  });
});

test("after the child's death its marker finds the rest", () => {
  expect(pids(undefined, "aaaa")).toEqual([200, 202, 210, 211]);
  expect(pids(undefined, "aaaa/bbbb")).toEqual([211]);
});

test("without a marker there are the descendants, and of nobody there is nothing", () => {
  expect(pids(100, undefined)).toEqual([200, 201, 202, 300]);
  expect(pids(301, undefined)).toEqual([]);
  expect(pids(undefined, undefined)).toEqual([]);
});
