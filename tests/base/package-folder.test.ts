import { join, parse } from "node:path";
import { expect, test } from "vitest";
import { packageFolder } from "../../src/base/package-folder.ts";

const CHECKOUT = join(import.meta.dirname, "../..");

test("the package's folder is found from its sources and from its built files", () => {
  expect(packageFolder()).toBe(CHECKOUT);
  expect(packageFolder(join(CHECKOUT, "dist"))).toBe(CHECKOUT);
});

test("where no package file lies above, it is the root and no endless search", () => {
  const { root } = parse(CHECKOUT);
  expect(packageFolder(join(root, "nowhere", "at", "all"))).toBe(root);
});
