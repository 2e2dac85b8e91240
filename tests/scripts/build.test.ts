import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  unlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { build } from "../../scripts/build.ts";

const CHECKOUT = join(import.meta.dirname, "../..");
const COPIED = [
  "scripts",
  "package.json",
  "pnpm-lock.yaml",
  "tsconfig.json",
  "tsconfig.build.json",
  "THIRD_PARTY_NOTICES.md",
];

/** The smallest package with every entry. */
const SOURCES = {
  "src/base/limits.ts": "export const LIMIT: number = 1;\n",
  "src/index.ts": 'export { LIMIT } from "./base/limits.ts";\n',
  "src/extension/activate.ts":
    'import { LIMIT } from "../base/limits.ts";\nexport const activate = () => LIMIT;\n',
  "src/worker/main.ts": 'console.log("end of the worker");\n',
  "src/program/compile-worker.ts": 'console.log("compiler");\n',
  "src/worker/quickjs-main.ts": 'console.log("thread");\n',
  "src/worker/guest-main.ts": "globalThis.guest = 1;\n",
};

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "ptc-build-")));
  await Promise.all(COPIED.map((name) => cp(join(CHECKOUT, name), join(root, name), { recursive: true })));
  for (const [path, text] of Object.entries(SOURCES)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  await symlink(join(CHECKOUT, "node_modules"), join(root, "node_modules"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const built = (name: string): string => join(root, "dist", name);

test("a second build of the same sources does nothing", async () => {
  expect(await build(root)).toMatchObject({ built: true });
  const before = await stat(built("extension.js"));
  expect(await build(root)).toMatchObject({ built: false });
  expect((await stat(built("extension.js"))).mtimeMs).toBe(before.mtimeMs);
});

test("a changed source, a lost file and a damaged file are each built again", async () => {
  await build(root);
  await writeFile(join(root, "src/index.ts"), "export const changed = 1;\n", { flag: "a" });
  expect(await build(root)).toMatchObject({ built: true });
  expect(await readFile(built("index.js"), "utf8")).toContain("changed");

  await unlink(built("worker.cjs"));
  expect(await build(root)).toMatchObject({ built: true });

  await writeFile(built("worker.cjs"), "// damaged");
  expect(await build(root)).toMatchObject({ built: true });
  expect(await readFile(built("worker.cjs"), "utf8")).not.toContain("damaged");
});

test("what is no longer built is removed", async () => {
  await build(root);
  await writeFile(built("left-over.js"), "");
  await build(root);
  await expect(stat(built("left-over.js"))).rejects.toMatchObject({ code: "ENOENT" });
});

test("a build that fails leaves dist as it was and names the cause", async () => {
  await build(root);
  const before = await readFile(built("index.js"), "utf8");
  await writeFile(join(root, "src/index.ts"), 'export * from "./nowhere.ts";\n');
  await expect(build(root)).rejects.toThrow("./nowhere.ts");
  expect(await readFile(built("index.js"), "utf8")).toBe(before);
  expect((await readdir(join(root, ".tmp"))).filter((name) => name !== "build.json")).toEqual([]);
});

test("a host package behind the extension fails the build", async () => {
  await writeFile(join(root, "src/extension/activate.ts"), 'export { Type as activate } from "typebox";\n');
  await expect(build(root)).rejects.toThrow("dist/extension.js imports typebox at run time");
});

test("what runs in a VM is one script without imports, and the engine ships as it is", async () => {
  await build(root);
  expect(await readFile(built("quickjs-guest.js"), "utf8")).not.toMatch(/\b(?:import|require|process)\b/);
  const engine = await readFile(join(CHECKOUT, "node_modules/quickjs-wasi/quickjs.wasm"));
  expect(await readFile(built("quickjs.wasm"))).toEqual(engine);
  await writeFile(join(root, "src/worker/guest-main.ts"), 'import "node:fs";\n');
  await expect(build(root)).rejects.toThrow("dist/quickjs-guest.js imports node:fs");
});

test("a missing entry is named", async () => {
  await rm(join(root, "src/worker/main.ts"));
  await expect(build(root)).rejects.toThrow("src/worker/main.ts is missing");
});

test("whoever reads an entry while it is rebuilt finds a whole one", async () => {
  await build(root);
  const progress = { done: false };
  const rebuilt = (async () => {
    for (const text of ["one", "two"]) {
      await writeFile(join(root, "src/index.ts"), `export const text = "${text}";\n`);
      await writeFile(
        join(root, "src/worker/main.ts"),
        `globalThis.console.log("${text}", "end of the worker");\n`,
      );
      await build(root);
    }
    progress.done = true;
  })();
  const seen = new Set<boolean>();
  while (!progress.done) {
    const code = await readFile(built("worker.cjs"), "utf8");
    seen.add(code.includes("end of the worker"));
  }
  await rebuilt;
  expect([...seen]).toEqual([true]);
});
