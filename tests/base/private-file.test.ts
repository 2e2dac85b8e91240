import { execFileSync } from "node:child_process";
import {
  existsSync,
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
import {
  createFile,
  isPlainFolder,
  makePrivateFolder,
  readSmallFile,
  replaceFile,
} from "../../src/base/private-file.ts";

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "ptc-private-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);
const mode = (path: string): number => statSync(path).mode & 0o777;

describe("a private folder", () => {
  test("is made with those above it, for its user only", async () => {
    await makePrivateFolder(at("a/b/c"));
    await makePrivateFolder(at("a/b/c"));
    expect([mode(at("a")), mode(at("a/b/c"))]).toEqual([0o700, 0o700]);
  });

  test("is not one that a link or a file stands for", async () => {
    mkdirSync(at("real"));
    symlinkSync(at("real"), at("link"));
    symlinkSync(at("nowhere"), at("dangling"));
    writeFileSync(at("file"), "");
    for (const name of ["link", "dangling", "file"]) {
      await expect(makePrivateFolder(at(name))).rejects.toThrow(/folder|EEXIST|ENOENT/);
      expect(isPlainFolder(at(name))).toBe(false);
    }
    expect([isPlainFolder(at("real")), isPlainFolder(at("nothing"))]).toEqual([true, false]);
    expect(existsSync(at("nowhere"))).toBe(false);
  });
});

describe("replacing a file", () => {
  test("shows a reader the old text until the new one is whole, and leaves nothing else", async () => {
    await replaceFile(at("x"), "old");
    let seen = "";
    await replaceFile(at("x"), "new".repeat(100_000), () => (seen = readFileSync(at("x"), "utf8")));
    expect(seen).toBe("old");
    expect(readFileSync(at("x"), "utf8")).toHaveLength(300_000);
    expect([readdirSync(folder), mode(at("x"))]).toEqual([["x"], 0o600]);
  });

  test("that fails keeps the old file and leaves nothing behind", async () => {
    mkdirSync(at("x"));
    writeFileSync(at("x/inside"), "");
    await expect(replaceFile(at("x"), "new")).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
    await expect(replaceFile(at("none/x"), "new")).rejects.toThrow("ENOENT");
    await replaceFile(at("y"), "old");
    const failing = replaceFile(at("y"), "new", () => {
      throw new Error("stopped here");
    });
    await expect(failing).rejects.toThrow("stopped here");
    expect(readdirSync(folder).toSorted()).toEqual(["x", "y"]);
    expect(readFileSync(at("y"), "utf8")).toBe("old");
  });

  test("replaces a link instead of following it", async () => {
    writeFileSync(at("target"), "old");
    symlinkSync(at("target"), at("x"));
    await replaceFile(at("x"), "new");
    expect([readFileSync(at("target"), "utf8"), readFileSync(at("x"), "utf8")]).toEqual(["old", "new"]);
  });

  test("by many at once ends with one of the texts whole", async () => {
    const texts = Array.from({ length: 20 }, (_, index) => String(index).repeat(10_000));
    await Promise.all(texts.map((text) => replaceFile(at("x"), text)));
    expect(texts).toContain(readFileSync(at("x"), "utf8"));
    expect(readdirSync(folder)).toEqual(["x"]);
  });
});

describe("creating a file", () => {
  test("succeeds for one of many, whose text it holds whole", async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => createFile(at("x"), `text ${index}`)),
    );
    const winner = answers.indexOf(true);
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect(readFileSync(at("x"), "utf8")).toBe(`text ${winner}`);
    expect([readdirSync(folder), mode(at("x"))]).toEqual([["x"], 0o600]);
  });

  test("does not follow a link, and rejects where nothing can be made", async () => {
    symlinkSync(at("elsewhere"), at("x"));
    expect(await createFile(at("x"), "text")).toBe(false);
    expect(existsSync(at("elsewhere"))).toBe(false);
    await expect(createFile(at("none/x"), "text")).rejects.toThrow("ENOENT");
  });
});

describe("reading a small file", () => {
  test("gives its text and a stamp that changes with it", async () => {
    await replaceFile(at("x"), "one ä");
    const one = readSmallFile(at("x"), 100);
    expect(one).toEqual({ kind: "text", text: "one ä", stamp: expect.any(String) });
    expect(readSmallFile(at("x"), 100)).toEqual(one);
    await replaceFile(at("x"), "two ä");
    expect(readSmallFile(at("x"), 100)).toMatchObject({ text: "two ä" });
    expect(readSmallFile(at("x"), 100)).not.toMatchObject({ stamp: (one as { stamp: string }).stamp });
  });

  test("knows what is no text of the size", () => {
    writeFileSync(at("large"), "x".repeat(101));
    writeFileSync(at("full"), "x".repeat(100));
    writeFileSync(at("empty"), "");
    mkdirSync(at("folder"));
    symlinkSync(at("full"), at("link"));
    execFileSync("mkfifo", [at("pipe")]);
    const read = (name: string) => readSmallFile(at(name), 100);
    expect(read("none")).toEqual({ kind: "absent" });
    expect(read("full")).toMatchObject({ kind: "text" });
    expect(read("empty")).toMatchObject({ kind: "text", text: "" });
    expect(read("large")).toMatchObject({ kind: "unusable", problem: "has 101 bytes, more than 100" });
    expect(read("folder")).toMatchObject({
      kind: "unusable",
      problem: expect.stringMatching(/directory|regular/),
    });
    expect(read("link")).toMatchObject({ kind: "unusable", problem: "is a symbolic link" });
    expect(read("pipe")).toMatchObject({ kind: "unusable", problem: "is no regular file" });
    expect(read("full/x")).toMatchObject({ kind: "unusable", problem: expect.stringContaining("ENOTDIR") });
  });
});
