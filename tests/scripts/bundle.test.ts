import { expect, test } from "vitest";
import { type BuiltFile, bundleProblems } from "../../scripts/bundle.ts";

const file = (name: string, facts: Partial<BuiltFile> = {}): BuiltFile => ({
  name,
  code: "",
  isEntry: true,
  imports: [],
  bundled: [],
  ...facts,
});

test("a host package anywhere behind the extension entry fails the build", () => {
  const files = [
    file("extension.js", { imports: ["node:fs", "chunk-1.js"] }),
    file("chunk-1.js", { imports: ["chunk-2.js"] }),
    file("chunk-2.js", { imports: ["typebox/value"] }),
  ];
  expect(bundleProblems(files, "")).toEqual([
    expect.stringContaining("dist/chunk-2.js imports typebox/value at run time"),
  ]);
});

test("the main entry may import host packages", () => {
  const files = [file("extension.js"), file("index.js", { imports: ["@earendil-works/pi-coding-agent"] })];
  expect(bundleProblems(files, "")).toEqual([]);
});

test("a package that is neither bundled nor pi's fails the build", () => {
  expect(bundleProblems([file("index.js", { imports: ["ulid"] })], "")).toEqual([
    expect.stringContaining("imports ulid"),
  ]);
});

test("a bundled package without a section in the notices fails the build", () => {
  const files = [file("extension.js", { bundled: ["@earendil-works/pi-codemode"] })];
  expect(bundleProblems(files, "# Notices\n")).toEqual([expect.stringContaining("no section")]);
  expect(bundleProblems(files, "# Notices\n\n## @earendil-works/pi-codemode\n\nMIT\n")).toEqual([]);
});
