import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sweepTemporaryTasks, temporaryTasksFolder } from "../../src/tasks/temporary-tasks.ts";

let root: string;
beforeEach(() => (root = mkdtempSync(join(tmpdir(), "ptc-temporary-"))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

const past = new Date(Date.now() - 8 * 86_400_000);

function make(pid: number, isOld: boolean): string {
  const name = basename(temporaryTasksFolder(root)).replace(String(process.pid), String(pid));
  const path = join(root, name);
  mkdirSync(join(path, "outbox"), { recursive: true });
  writeFileSync(join(path, "x.json"), "x");
  if (isOld) utimesSync(path, past, past);
  return name;
}

test("a temporary folder has a new name each time, with the process in it, and is not made", () => {
  expect(temporaryTasksFolder(root)).not.toBe(temporaryTasksFolder(root));
  expect(basename(temporaryTasksFolder(root))).toMatch(new RegExp(`^pi-ptc-tasks-${process.pid}-`));
  expect(readdirSync(root)).toEqual([]);
});

test("old folders of processes that are gone are swept, and nothing else", async () => {
  const gone = spawn("true");
  await once(gone, "exit");
  const pid = gone.pid as number;
  make(pid, true);
  const kept = [
    make(pid, false),
    make(process.pid, true),
    "other",
    `pi-ptc-tasks-${pid}-x`,
    "pi-ptc-tasks-link",
  ];
  for (const name of kept.slice(2, 4)) {
    mkdirSync(join(root, name));
    utimesSync(join(root, name), past, past);
  }
  symlinkSync(join(root, "other"), join(root, "pi-ptc-tasks-link"));
  expect(await sweepTemporaryTasks(7, root)).toBe(1);
  expect(readdirSync(root).toSorted()).toEqual(kept.toSorted());
  expect(await sweepTemporaryTasks(7, join(root, "nowhere"))).toBe(0);
});
