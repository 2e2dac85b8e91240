/** Output on disk (spec 3.2; fault 26): appended as it comes, bounded, kept while the disk refuses. */

import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { OutputFile } from "../../src/tasks/output-file.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ptc-output-"));
  path = join(folder, "task", "output.log");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const onDisk = (): string => readFileSync(path, "utf8");

/** Appends and waits until it is written. */
async function appended(run: (file: OutputFile) => void): Promise<OutputFile> {
  let wake: () => void = () => undefined;
  const written = new Promise<void>((resolve) => (wake = resolve));
  const file = new OutputFile(path, { onAppended: () => wake() });
  run(file);
  await written;
  return file;
}

test("what was appended is in the file before the end, and only its user can read it", async () => {
  const file = await appended((output) => output.append("héllo"));
  expect(onDisk()).toBe("héllo");
  expect([file.bytes, file.isEmpty, file.warnings]).toEqual([6, false, []]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, "task")).mode & 0o777).toBe(0o700);
  file.append(" again");
  await file.close();
  expect(onDisk()).toBe("héllo again");
});

test("without output there is no file, and nothing to tell", async () => {
  const file = new OutputFile(path);
  await file.close();
  expect([existsSync(path), file.bytes, file.preview, file.isEmpty, file.warnings]).toEqual([
    false,
    0,
    "",
    true,
    [],
  ]);
});

test("the preview is all of at most 2048 bytes, else the end from a whole character on", async () => {
  const file = new OutputFile(path);
  file.append(`${"x".repeat(1_000)}é`);
  file.append("y".repeat(1_046));
  expect(file.preview).toBe(`${"x".repeat(1_000)}é${"y".repeat(1_046)}`);
  file.append("€".repeat(683));
  expect(file.preview).toBe("€".repeat(682));
  file.append("z".repeat(5_000));
  expect(file.preview).toBe("z".repeat(2_048));
  await file.close();
});

test("a bound is kept at a whole character, the rest counted, and nothing follows it", async () => {
  const file = new OutputFile(path, { maxBytes: 6 });
  file.append("ab€€");
  file.append("c");
  await file.close();
  expect(onDisk()).toBe("ab€");
  expect(file.bytes).toBe(5);
  expect(file.warnings).toEqual(["4 bytes of output were left out"]);
});

test("what the disk refuses is written with what comes later", async () => {
  writeFileSync(join(folder, "task"), "in the way");
  const file = new OutputFile(path);
  file.append("first ");
  file.append("second ");
  await file.close();
  expect(file.warnings[0]).toMatch(/^output could not be written: .*(EEXIST|ENOTDIR|no folder)/);
  expect(file.warnings[1]).toBe("13 bytes of output were left out");
  expect(file.preview).toBe("first second ");
});

test("a disk that takes writes again gets all of it in order", async () => {
  writeFileSync(join(folder, "task"), "in the way");
  const file = new OutputFile(path);
  file.append("first ");
  await new Promise((resolve) => setImmediate(resolve));
  rmSync(join(folder, "task"));
  file.append("second");
  await file.close();
  expect(onDisk()).toBe("first second");
  expect(file.warnings).toEqual([]);
});

test("of a child that says no more all of it comes to disk once the disk takes writes again, and is told of once", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const problems: string[] = [];
  writeFileSync(join(folder, "task"), "in the way");
  const written = Promise.withResolvers<void>();
  const file = new OutputFile(path, {
    onAppended: written.resolve,
    onProblem: (problem) => problems.push(problem),
  });
  try {
    file.append("all there is");
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1));
    await vi.advanceTimersByTimeAsync(1_000);
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1));
    rmSync(join(folder, "task"));
    await vi.advanceTimersByTimeAsync(30_000);
    await written.promise;
    expect([onDisk(), file.warnings, problems]).toEqual([
      "all there is",
      [],
      [expect.stringMatching(/^output could not be written: /)],
    ]);
    await file.close();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test("at most 1 MiB is kept while the disk refuses", async () => {
  writeFileSync(join(folder, "task"), "in the way");
  const file = new OutputFile(path);
  for (const lost of [0, 1_048_576, 2_097_152]) {
    file.append("x".repeat(1_048_576));
    const sentences =
      lost === 0 ? [expect.any(String)] : [expect.any(String), `${lost} bytes of output were left out`];
    await vi.waitFor(() => expect(file.warnings).toEqual(sentences));
  }
  rmSync(join(folder, "task"));
  await file.close();
  expect(file.bytes).toBe(1_048_576);
  expect(file.warnings).toEqual([`2097152 bytes of output were left out`]);
});

test("a link or a pipe in the file's place is not written to, and holds nothing up", async () => {
  const secret = join(folder, "secret");
  writeFileSync(secret, "secret");
  mkdirSync(join(folder, "task"));
  symlinkSync(secret, path);
  const linked = new OutputFile(path);
  linked.append("x");
  await linked.close();
  expect(readFileSync(secret, "utf8")).toBe("secret");
  expect(linked.warnings[0]).toContain("ELOOP");
  rmSync(path);
  execFileSync("mkfifo", [path]);
  const piped = new OutputFile(path);
  piped.append("x");
  await piped.close();
  expect(piped.warnings[0]).toContain("ENXIO");
});
