import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ownProcessKey } from "../../src/base/process-key.ts";
import { sweepTempFolders, tempFolderPrefix } from "../../src/base/temp-folders.ts";

let root: string;
/** Key of a process that is gone. */
let dead: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "ptc-temps-"));
  const pid = execFileSync(process.execPath, ["-p", "process.pid"], { encoding: "utf8" }).trim();
  dead = ownProcessKey().replace(/^\d+/, pid);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("a sweep deletes what processes that are gone left, and nothing else", async () => {
  const kept = [
    `${tempFolderPrefix()}own`,
    "pi-ptc-tasks-old",
    `pi-ptc-other-${dead}-a`,
    `ptc-tasks-${dead}-a`,
  ];
  const gone = [`pi-ptc-tasks-${dead}-a`, `pi-ptc-tasks-${dead}-b`];
  for (const name of [...kept, ...gone]) {
    mkdirSync(join(root, name));
    writeFileSync(join(root, name, "file"), "text");
  }
  await sweepTempFolders(root);
  expect(readdirSync(root).toSorted()).toEqual(kept.toSorted());
});

test("a sweep leaves links and files alone, and a folder that does not exist", async () => {
  symlinkSync(tmpdir(), join(root, `pi-ptc-tasks-${dead}-link`));
  writeFileSync(join(root, `pi-ptc-tasks-${dead}-file`), "");
  await sweepTempFolders(root);
  await sweepTempFolders(join(root, "nowhere"));
  expect(readdirSync(root)).toHaveLength(2);
});
