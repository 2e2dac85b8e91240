/** The list as macOS prints it, in samples: there is none to run it on. */

import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { carries, parseProcessList } from "../../src/base/process-list.ts";

const SAMPLE = [
  "    1     0 Ss   Thu Mar 26 09:58:01 2026     /sbin/launchd",
  "  501     1 S+   Fri Mar  6 10:11:12 2026     node /opt/pi/cli.js --mode json -p PATH=/usr/bin:/bin PI_PTC_RUN=1f2e/3d4c HOME=/Users/ada",
  "  502   501 Z    Fri Mar  6 10:11:13 2026     (node)",
  "90210   501 Ss   Fri Mar  6 10:11:13 2026     /bin/bash -c echo one",
  "sleep 5 PI_PTC_RUN=1f2e PWD=/tmp",
  "90211 90210 S    Fri Mar  6 23:59:59 2026    ",
  "",
].join("\n");

describe("the list of processes", () => {
  test("gives id, parent, start and command of each, and leaves out what has ended", () => {
    expect(parseProcessList(SAMPLE)).toEqual([
      {
        pid: 1,
        parent: 0,
        startTime: String(Date.UTC(2026, 2, 26, 9, 58, 1) / 1000),
        command: "/sbin/launchd",
      },
      {
        pid: 501,
        parent: 1,
        startTime: String(Date.UTC(2026, 2, 6, 10, 11, 12) / 1000),
        command: "node /opt/pi/cli.js --mode json -p PATH=/usr/bin:/bin PI_PTC_RUN=1f2e/3d4c HOME=/Users/ada",
      },
      {
        pid: 90_210,
        parent: 501,
        startTime: String(Date.UTC(2026, 2, 6, 10, 11, 13) / 1000),
        command: "/bin/bash -c echo one\nsleep 5 PI_PTC_RUN=1f2e PWD=/tmp",
      },
      {
        pid: 90_211,
        parent: 90_210,
        startTime: String(Date.UTC(2026, 2, 6, 23, 59, 59) / 1000),
        command: "",
      },
    ]);
  });

  test.each([
    "",
    "\n\n",
    "ps: illegal option -- E\nusage: ps [-AaCcEefhjlMmrSTvwXx]",
    "  PID  PPID STAT STARTED",
  ])("is empty when there is none: %j", (text) => expect(parseProcessList(text)).toEqual([]));

  test("has the columns that this system's ps prints, too", () => {
    const columns = ["pid=", "ppid=", "stat=", "lstart=", "command="].flatMap((column) => ["-o", column]);
    const env = { ...process.env, LC_ALL: "C", TZ: "UTC" };
    const text = execFileSync("ps", ["-ww", ...columns, "-p", String(process.pid)], {
      encoding: "utf8",
      env,
    });
    const [own, ...more] = parseProcessList(text);
    expect(more).toEqual([]);
    expect(own).toMatchObject({ pid: process.pid, parent: process.ppid });
    const startedAt = Date.now() / 1000 - process.uptime();
    expect(Math.abs(Number(own?.startTime) - startedAt)).toBeLessThan(5);
  });
});

describe("a process carries a variable", () => {
  const [, pi, shell] = parseProcessList(SAMPLE);
  test.each([
    ["1f2e", true],
    ["1f2e/3d4c", true],
    ["1f2", false],
    ["3d4c", false],
  ])("with the value or more after a slash: %j %s", (value, expected) => {
    expect(pi && carries(pi, "PI_PTC_RUN", value)).toBe(expected);
  });

  test("in the last line of a command of several, at the end of it, and under its whole name only", () => {
    expect(shell && carries(shell, "PI_PTC_RUN", "1f2e")).toBe(true);
    const process = { pid: 1, parent: 0, startTime: "0", command: "sleep 1 NOT_PI_PTC_RUN=a PI_PTC_RUN=b" };
    expect(carries(process, "PI_PTC_RUN", "a")).toBe(false);
    expect(carries(process, "PI_PTC_RUN", "b")).toBe(true);
  });
});
