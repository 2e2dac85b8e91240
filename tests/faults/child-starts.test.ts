/** Fault 18: children that the system does not start, in a host of their own. Each is a result in words, and nothing is held after it. */

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { message, SETTLED } from "../children/played-child.ts";
import type { DispatchOrder, DispatchReport, Mishap } from "../fixtures/dispatching-host.ts";

const HOST = fileURLToPath(new URL("../fixtures/dispatching-host.ts", import.meta.url));
/** Root is refused little, so it becomes nobody. */
const AS_NOBODY =
  process.getuid?.() === 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];
const FEW_FILES = ["sh", "-c", 'ulimit -n 80; exec "$@"', "sh"];
const HAS_PRLIMIT = spawnSync("prlimit", ["--version"]).status === 0;
/** A child that answers, as a shell can play it. */
const COMMAND = `#!/bin/sh\ncat > /dev/null\ncat <<'END'\n${message("done")}${SETTLED}END\n`;

const MISHAPS: [Mishap, RegExp][] = [
  ["folder removed", /folder ".*cwd" does not exist \(ENOENT\)/],
  ["folder replaced by a file", /folder ".*cwd" does not exist \(ENOTDIR\)/],
  ["folder locked", /could not be started: .*EACCES/],
  ["command removed", /"\/.*pi" or the folder .*does not exist \(ENOENT\)/],
  ["command locked", /could not be started: .*EACCES/],
  ["interpreter missing", /does not exist \(ENOENT\)/],
  ["environment too long", /its arguments and its environment together are too long \(E2BIG\)/],
];
const FEW = 16;
const RUNS: DispatchOrder["runs"] = [
  ...MISHAPS.map(([mishap]) => ({ mishap })),
  ...Array.from({ length: FEW }, (_, freeDescriptors) => ({ mishap: "nothing", freeDescriptors }) as const),
  { mishap: "nothing" },
  { mishap: "command no program" },
  ...(HAS_PRLIMIT ? [{ mishap: "told" } as const, { mishap: "told" } as const] : []),
];

let folder: string;
let reports: DispatchReport[] = [];
let end: unknown;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ptc-starts-"));
  chmodSync(folder, 0o777);
  const order: DispatchOrder = { folder, command: COMMAND, runs: RUNS };
  const [command, ...args] = [...FEW_FILES, ...AS_NOBODY, process.execPath, HOST, JSON.stringify(order)];
  const host = spawn(command as string, args, { env: { PATH: process.env["PATH"], TMPDIR: folder } });
  let stderr = "";
  host.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  let allowed = "1";
  createInterface({ input: host.stdout }).on("line", (text) => {
    const line = JSON.parse(text) as DispatchReport | { pid: number };
    if (!("pid" in line)) return void reports.push(line);
    // No more processes than it has, then as many as before.
    const before = prlimit(line.pid, "--nproc", "--output=SOFT", "--noheadings");
    prlimit(line.pid, `--nproc=${allowed}:`);
    allowed = before;
    host.stdin.write("\n");
  });
  const [code, signal] = await once(host, "close");
  end = { code, signal, stderr };
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Limits may be set by the same user only. */
function prlimit(pid: number, ...more: string[]): string {
  const [command, ...args] = [...AS_NOBODY, "prlimit", "--pid", String(pid), ...more];
  return execFileSync(command as string, args, { encoding: "utf8" }).trim();
}

const refused = (reason: RegExp): object => ({
  status: "rejected",
  started: false,
  text: "",
  errorMessage: expect.stringMatching(reason),
});
const fulfilled = { status: "fulfilled", text: "done" };

test("the host ends well, having told of every dispatch", () => {
  expect(end).toEqual({ code: 0, signal: null, stderr: "" });
  expect(reports).toHaveLength(RUNS.length);
});

test.each(MISHAPS.map(([mishap, reason], index) => [mishap, reason, index] as const))(
  "a child that cannot be started once it was planned (%s) is refused in words",
  (_mishap, reason, index) => {
    expect(reports[index]).toMatchObject(refused(reason));
  },
);

test("a host without descriptors refuses a child in words, and starts one when there are some again", () => {
  const few = reports.slice(MISHAPS.length, MISHAPS.length + FEW);
  expect(few[0]).toMatchObject(refused(/EMFILE|Too many open files/));
  for (const report of few.filter(({ status }) => status === "rejected"))
    expect(report).toMatchObject(refused(/EMFILE|Too many open files/));
  expect(reports[MISHAPS.length + FEW]).toMatchObject(fulfilled);
});

test("a command that is no program, which a shell then tries to run, is rejected with what that says", () => {
  const { status, started, errorMessage } = reports[MISHAPS.length + FEW + 1] as DispatchReport;
  expect({ status, started }).toEqual({ status: "rejected", started: true });
  expect(errorMessage).toMatch(/^the child exited with code 12[67]: .*pi/);
});

test.skipIf(!HAS_PRLIMIT)(
  "a host that may have no more processes refuses a child in words, and starts one when it may again",
  () => {
    expect(reports.at(-2)).toMatchObject(refused(/could not be started: .*EAGAIN/));
    expect(reports.at(-1)).toMatchObject(fulfilled);
  },
);

test("slot, prompt file, pipes and processes are given back after every one", () => {
  for (const { slots, live, temp, children } of reports)
    expect({ slots, live, temp, children }).toEqual({ slots: 0, live: 0, temp: [], children: 0 });
  // Some stay with Node itself; three pipes a dispatch would be many more.
  const descriptors = reports.map((report) => report.descriptors);
  expect(Math.max(...descriptors) - Math.min(...descriptors), descriptors.join()).toBeLessThan(10);
});
