import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isSameProject } from "../../src/children/same-project.ts";

let dir: string;
const at = (path: string): string => join(dir, path);
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "ptc-project-"));
  for (const path of [
    "work/.pi",
    "work/src/deep",
    "work/clone/.pi",
    "work/clone/src",
    "work/skilled/.agents/skills",
    "work-2",
  ])
    mkdirSync(at(path), { recursive: true });
  symlinkSync(at("work"), at("link"));
  symlinkSync(at("work-2"), at("work/out"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test.each(["work", "work/src", "work/src/deep", "link", "link/src"])(
  "%s belongs to the session's project",
  (path) => expect(isSameProject(at("work"), at(path))).toBe(true),
);

test.each([
  "",
  "work-2",
  "work/out",
  "work/clone",
  "work/clone/src",
  "work/skilled",
  "work/skilled/.agents",
  "work/gone",
])("%s does not belong to the session's project", (path) =>
  expect(isSameProject(at("work"), at(path))).toBe(false),
);

test("a session started behind a link has the project the link leads to", () => {
  expect(isSameProject(at("link"), at("work/src"))).toBe(true);
});
