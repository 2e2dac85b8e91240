import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CHECKOUT } from "./packed.ts";

test("no committed file says where packages come from", () => {
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const paths = execFileSync("git", list, { cwd: CHECKOUT, encoding: "utf8" }).split("\0").filter(Boolean);
  const source = /registry\.[a-z]+\.|tarball: ?["']?https?:/;
  const naming = paths.filter((path) => source.test(readFileSync(join(CHECKOUT, path), "utf8")));
  expect(paths).toContain("pnpm-lock.yaml");
  expect(naming).toEqual([]);
});
