import { chmod, lstat, mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openOutputFolder, outputRoot, sweepOutput } from "../../src/base/output-folder.ts";

let base: string;
let root: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "ptc-out-"));
  root = join(base, "root");
});
afterEach(async () => rm(base, { recursive: true, force: true }));

const modeOf = async (path: string): Promise<number> => (await lstat(path)).mode & 0o777;
const DAY_MS = 86_400_000;

test("the root lies in the system's temp folder and carries the user's id", () => {
  expect(outputRoot()).toBe(join(tmpdir(), `pi-ptc-${process.getuid?.()}`));
});

describe("a session's folder", () => {
  test("appears when first asked for, private at both levels, and stays the same", async () => {
    const folder = openOutputFolder(root);
    await expect(lstat(root)).rejects.toThrow("ENOENT");
    const path = await folder();
    expect(dirname(path)).toBe(root);
    expect([await modeOf(root), await modeOf(path)]).toEqual([0o700, 0o700]);
    expect(await folder()).toBe(path);
    expect(await openOutputFolder(root)()).not.toBe(path);
  });

  test("is made again when it vanished", async () => {
    const folder = openOutputFolder(root);
    const path = await folder();
    await rm(root, { recursive: true });
    expect(await folder()).toBe(path);
    expect(await readdir(root)).toEqual([basename(path)]);
  });

  test("tightens a root of ours that others could read", async () => {
    await mkdir(root);
    await chmod(root, 0o777);
    await openOutputFolder(root)();
    expect(await modeOf(root)).toBe(0o700);
  });

  test("is refused under a symbolic link", async () => {
    await mkdir(join(base, "elsewhere"));
    await symlink(join(base, "elsewhere"), root);
    await expect(openOutputFolder(root)()).rejects.toThrow(`${root} is a symbolic link`);
    expect(await readdir(join(base, "elsewhere"))).toEqual([]);
  });

  test("is refused under a file", async () => {
    await writeFile(root, "");
    await expect(openOutputFolder(root)()).rejects.toThrow(`${root} is not a folder`);
  });

  test.runIf(process.getuid?.() === 0)("is refused under another user's folder", async () => {
    const { chown } = await import("node:fs/promises");
    await mkdir(root);
    await chown(root, 12_345, 12_345);
    await expect(openOutputFolder(root)()).rejects.toThrow(`${root} belongs to another user`);
  });

  test("that cannot be made rejects with the path", async () => {
    await writeFile(join(base, "file"), "");
    await expect(openOutputFolder(join(base, "file", "root"))()).rejects.toThrow("ENOTDIR");
  });
});

describe("the sweep", () => {
  const age = async (path: string, days: number): Promise<void> => {
    const when = new Date(Date.now() - days * DAY_MS);
    await utimes(path, when, when);
  };

  test("removes what is older than the retention and keeps the rest", async () => {
    const old = await openOutputFolder(root)();
    const young = await openOutputFolder(root)();
    for (const path of [
      join(old, "a.txt"),
      join(old, "b.txt"),
      join(young, "old.txt"),
      join(young, "new.txt"),
    ])
      await writeFile(path, "x");
    for (const path of [join(old, "a.txt"), join(old, "b.txt"), join(young, "old.txt"), old])
      await age(path, 8);
    expect(await sweepOutput(7, root)).toBe(3);
    expect(await readdir(root)).toEqual([basename(young)]);
    expect(await readdir(young)).toEqual(["new.txt"]);
  });

  test("keeps a young empty folder, whose session is about to write", async () => {
    const path = await openOutputFolder(root)();
    expect(await sweepOutput(7, root)).toBe(0);
    expect(await readdir(root)).toEqual([basename(path)]);
  });

  test("does nothing without a root, and follows no link", async () => {
    expect(await sweepOutput(7, root)).toBe(0);
    const precious = join(base, "precious");
    await mkdir(precious);
    await writeFile(join(precious, "keep.txt"), "x");
    await age(join(precious, "keep.txt"), 100);
    await symlink(precious, root);
    expect(await sweepOutput(7, root)).toBe(0);
    await rm(root);
    await mkdir(root);
    await symlink(precious, join(root, "session"));
    expect(await sweepOutput(7, root)).toBe(0);
    expect(await readdir(precious)).toEqual(["keep.txt"]);
  });
});
