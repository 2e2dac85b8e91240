/** Prompt folders of pis that were killed (fault 34), left and swept by real processes. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ownProcessKey } from "../../src/base/process-key.ts";
import { writePromptFile } from "../../src/children/prompt-file.ts";
import { sweepPrompts } from "../../src/children/sweep-prompts.ts";
import { isRunning } from "../faults/processes.ts";

const PROMPT = {
  body: "b",
  depth: 1,
  maxDepth: 3,
  treeSlots: 1,
  canDispatch: false,
  hasPrograms: false,
  reportText: undefined,
};
const SRC = new URL("../../src/", import.meta.url).href;
const GOING_ON = new AbortController().signal;

let dir: string;
const owners: ChildProcess[] = [];
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), "ptc-sweep-"))));
afterEach(() => {
  for (const owner of owners.splice(0)) if (owner.pid && isRunning(owner.pid)) owner.kill("SIGKILL");
  rmSync(dir, { recursive: true, force: true });
});

/** A process that has written a prompt and lives on. */
async function startOwner(): Promise<{ owner: ChildProcess; path: string }> {
  const script = `
    const { ownProcessKey } = await import("${SRC}base/process-key.ts");
    const { writePromptFile } = await import("${SRC}children/prompt-file.ts");
    const written = writePromptFile(${JSON.stringify(PROMPT)}, ownProcessKey(), ${JSON.stringify(dir)});
    console.log(written.file.path);
    setInterval(() => 0, 1000);`;
  const owner = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  owners.push(owner);
  const [chunk] = (await once(owner.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
  return { owner, path: chunk.toString().trim() };
}

async function kill(owner: ChildProcess): Promise<void> {
  owner.kill("SIGKILL");
  await once(owner, "exit");
}

/** A folder as a process with this key would have left it. */
function leave(key: string): string {
  const written = writePromptFile(PROMPT, key, dir);
  if (!written.ok) throw new Error(written.refusal);
  return dirname(written.file.path);
}

test("the prompt of a process that was killed is removed, that of one that lives is not touched", async () => {
  const [dead, living] = [await startOwner(), await startOwner()];
  await kill(dead.owner);
  expect(readdirSync(dir)).toHaveLength(2);
  expect(await sweepPrompts(GOING_ON, dir)).toBe(1);
  expect(readdirSync(dir)).toEqual([basename(dirname(living.path))]);
  expect(readFileSync(living.path, "utf8")).toContain("<pi-ptc-context");
  await kill(living.owner);
  expect(await sweepPrompts(GOING_ON, dir)).toBe(1);
  expect(readdirSync(dir)).toEqual([]);
});

test("a process that got the id of a killed one does not keep what that left, and keeps its own", async () => {
  const [pid, start, place] = ownProcessKey().split("-");
  leave(`${pid}-${Number(start) - 1}-${place}`);
  const own = leave(ownProcessKey());
  expect(await sweepPrompts(GOING_ON, dir)).toBe(1);
  expect(readdirSync(dir)).toEqual([basename(own)]);
});

test("what other places and other names hold stays", async () => {
  const [, , place = ""] = ownProcessKey().split("-");
  const elsewhere = place.replace(/^./, (digit) => (digit === "0" ? "1" : "0"));
  leave(`4194999-1-${elsewhere}`);
  mkdirSync(join(dir, "pi-ptc-prompt-AbCdEf"));
  mkdirSync(join(dir, `pi-ptc-prompt-4194999-1-${place}-AbCdEf-more`));
  mkdirSync(join(dir, `my-pi-ptc-prompt-4194999-1-${place}-AbCdEf`));
  writeFileSync(join(dir, `pi-ptc-prompt-4194999-1-${place}-FiLe00`), "");
  const before = readdirSync(dir);
  expect(await sweepPrompts(GOING_ON, dir)).toBe(0);
  expect(readdirSync(dir)).toEqual(before);
});

test("no link is followed, and a folder with more than a prompt keeps it", async () => {
  const [, , place] = ownProcessKey().split("-");
  const precious = join(dir, "precious");
  mkdirSync(precious);
  writeFileSync(join(precious, "prompt.md"), "keep");
  symlinkSync(precious, join(dir, `pi-ptc-prompt-4194999-1-${place}-AbCdEf`));
  const full = leave(`4194999-1-${place}`);
  writeFileSync(join(full, "note.txt"), "keep");
  expect(await sweepPrompts(GOING_ON, dir)).toBe(0);
  expect(readFileSync(join(precious, "prompt.md"), "utf8")).toBe("keep");
  expect(readFileSync(join(full, "note.txt"), "utf8")).toBe("keep");
});

test.runIf(process.getuid?.() === 0)("another user's folder stays", async () => {
  const [, , place] = ownProcessKey().split("-");
  const folder = leave(`4194999-1-${place}`);
  chownSync(folder, 12_345, 12_345);
  expect(await sweepPrompts(GOING_ON, dir)).toBe(0);
  expect(existsSync(join(folder, "prompt.md"))).toBe(true);
});

test("a sweep ends with its session, and two at once do not mind each other", async () => {
  const [, , place] = ownProcessKey().split("-");
  for (let i = 0; i < 20; i += 1) leave(`4194999-1-${place}`);
  expect(await sweepPrompts(AbortSignal.abort(), dir)).toBe(0);
  const counts = await Promise.all([sweepPrompts(GOING_ON, dir), sweepPrompts(GOING_ON, dir)]);
  expect(counts[0] + counts[1]).toBe(20);
  expect(readdirSync(dir)).toEqual([]);
  await expect(sweepPrompts(GOING_ON, join(dir, "gone"))).rejects.toThrow("ENOENT");
});
