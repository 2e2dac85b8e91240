import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sweepTemporaryTasks, temporaryTasksFolder } from "../../src/tasks/temporary-tasks.ts";

let root: string;
beforeEach(() => (root = mkdtempSync(join(tmpdir(), "ptc-temporary-"))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

function make(change: (name: string) => string): string {
  const name = change(basename(temporaryTasksFolder(root)));
  mkdirSync(join(root, name, "outbox"), { recursive: true });
  writeFileSync(join(root, name, "x.json"), "x");
  return name;
}

test("a temporary folder has a new name each time, with the process in it, and is not made", () => {
  expect(temporaryTasksFolder(root)).not.toBe(temporaryTasksFolder(root));
  expect(basename(temporaryTasksFolder(root))).toMatch(new RegExp(`^pi-ptc-tasks-${process.pid}-`));
  expect(readdirSync(root)).toEqual([]);
});

test("folders of processes that are gone are swept, and nothing else", async () => {
  const gone = spawn("true");
  await once(gone, "exit");
  const ofDead = (name: string): string => name.replace(/^pi-ptc-tasks-\d+/, `pi-ptc-tasks-${gone.pid}`);
  make(ofDead);
  const elsewhere = (name: string): string => ofDead(name).replace(/-[0-9a-f]{8}-/, "-00000000-");
  const kept = [
    make((name) => name),
    make(elsewhere),
    make(() => "other"),
    make(() => `pi-ptc-tasks-${gone.pid}-x`),
  ];
  symlinkSync(join(root, "other"), join(root, ofDead(basename(temporaryTasksFolder(root)))));
  expect(await sweepTemporaryTasks(root)).toBe(1);
  expect(readdirSync(root)).toHaveLength(kept.length + 1);
  expect(readdirSync(root)).toEqual(expect.arrayContaining(kept));
  expect(await sweepTemporaryTasks(join(root, "nowhere"))).toBe(0);
});
