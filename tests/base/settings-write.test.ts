import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { writeSetting } from "../../src/base/settings-write.ts";

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "ptc-write-"));
  path = join(dir, "ptc.json");
});
afterEach(() => rmSync(dir, { recursive: true }));

const write = (value: string | undefined) => writeSetting(path, "surfaceMode", value);
const content = (): string => readFileSync(path, "utf8");

test("a key is written into the text that is there", () => {
  writeFileSync(path, '{\n\t"z": 1e3,\n\t"mine": {"a":[ ]},\n\t"surfaceMode": "off"\n}\n');
  expect(write("full")).toEqual({ kind: "written" });
  expect(content()).toBe('{\n\t"z": 1e3,\n\t"mine": {"a":[ ]},\n\t"surfaceMode": "full"\n}\n');
  expect(readdirSync(dir)).toEqual(["ptc.json"]);
});

test("without a file one is made, its folder too; nothing is made to remove a key", () => {
  path = join(dir, "agent/new/ptc.json");
  expect(write(undefined)).toEqual({ kind: "unchanged" });
  expect(existsSync(join(dir, "agent"))).toBe(false);
  expect(write("subagents")).toEqual({ kind: "written" });
  expect(content()).toBe('{\n  "surfaceMode": "subagents"\n}\n');
});

test("an unchanged value writes nothing", () => {
  writeFileSync(path, '{"surfaceMode":"full"}');
  const before = statSync(path);
  expect(write("full")).toEqual({ kind: "unchanged" });
  expect(statSync(path)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
});

describe("a file that cannot be read as settings is reported and left byte for byte:", () => {
  test.each([
    ["a comment", '{\n  // mine\n  "surfaceMode": "off"\n}', "not valid JSON"],
    ["half a file", '{"surfaceMode": ', "not valid JSON"],
    ["a trailing comma", '{"surfaceMode": "off",}', "not valid JSON"],
    ["an empty file", "", "the file is empty"],
    ["a list", '["surfaceMode"]', "it must hold one JSON object"],
  ])("%s", (_title, text, problem) => {
    writeFileSync(path, text);
    for (const value of ["full", undefined])
      expect(write(value)).toEqual({ kind: "failed", problem: expect.stringContaining(problem) });
    expect(content()).toBe(text);
    expect(readdirSync(dir)).toEqual(["ptc.json"]);
  });

  test("a folder", () => {
    mkdirSync(path);
    expect(write("full")).toEqual({ kind: "failed", problem: expect.stringContaining("a directory") });
  });
});

test("a link stays a link, and its target changes", () => {
  const target = join(dir, "dotfiles-ptc.json");
  writeFileSync(target, "{}");
  symlinkSync("dotfiles-ptc.json", path);
  expect(write("full")).toEqual({ kind: "written" });
  expect(lstatSync(path).isSymbolicLink()).toBe(true);
  expect(JSON.parse(readFileSync(target, "utf8"))).toEqual({ surfaceMode: "full" });
});

test("a link whose target is gone gets its target", () => {
  symlinkSync("later.json", path);
  expect(write("full")).toEqual({ kind: "written" });
  expect(lstatSync(path).isSymbolicLink()).toBe(true);
  expect(existsSync(join(dir, "later.json"))).toBe(true);
});

test("the mode of the file stays", () => {
  writeFileSync(path, "{}");
  chmodSync(path, 0o640);
  write("full");
  expect(statSync(path).mode & 0o777).toBe(0o640);
});

test("a folder that takes no file is reported, and nothing is left behind", () => {
  writeFileSync(join(dir, "file"), "");
  path = join(dir, "file/ptc.json");
  expect(write("full")).toEqual({
    kind: "failed",
    problem: expect.stringMatching(/cannot be (read|written) \(/),
  });
});
