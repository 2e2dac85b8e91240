import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sweepTempFolders, tempFolderPrefix } from "../../src/base/temp-folders.ts";

let root: string;
let deadPid: number;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "ptc-temps-"));
  deadPid = Number(execFileSync(process.execPath, ["-p", "process.pid"], { encoding: "utf8" }));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("a sweep deletes what processes that are gone left, and nothing else", async () => {
  const kept = [
    `${tempFolderPrefix("prompt")}own`,
    "pi-ptc-prompt-old",
    `pi-ptc-other-${deadPid}-a`,
    `ptc-prompt-${deadPid}-a`,
  ];
  const gone = [`pi-ptc-prompt-${deadPid}-a`, `pi-ptc-tasks-${deadPid}-b`];
  for (const name of [...kept, ...gone]) {
    mkdirSync(join(root, name));
    writeFileSync(join(root, name, "file"), "text");
  }
  await sweepTempFolders(root);
  expect(readdirSync(root).toSorted()).toEqual(kept.toSorted());
});

test("a sweep leaves links and files alone, and a folder that does not exist", async () => {
  symlinkSync(tmpdir(), join(root, `pi-ptc-tasks-${deadPid}-link`));
  writeFileSync(join(root, `pi-ptc-tasks-${deadPid}-file`), "");
  await sweepTempFolders(root);
  await sweepTempFolders(join(root, "nowhere"));
  expect(readdirSync(root)).toHaveLength(2);
});
