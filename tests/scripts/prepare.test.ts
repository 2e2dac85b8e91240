/** The build after an install, with a stand-in for npm that takes the packages from this checkout. */

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
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { build, INPUTS } from "../../scripts/build.ts";
import { bundle } from "../../scripts/bundle.ts";
import { BUILD_PACKAGES, planFetch } from "../../scripts/fetch-tools.ts";
import { prepare } from "../../scripts/prepare.ts";
import { runCommand } from "../package/pi-process.ts";

const CHECKOUT = join(import.meta.dirname, "../..");
const NO_NETWORK =
  "process.stderr.write('npm error code ENOTFOUND\\nnpm error     at Socket.read (a.js:1:2)\\n'); process.exit(1);";

let root: string;
let said: string[];
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "ptc-prepare-")));
  said = [];
  for (const name of ["src", "scripts/prepare.js", "scripts/prepare.ts", "scripts/fetch-tools.ts", ...INPUTS])
    await cp(join(CHECKOUT, name), join(root, name), { recursive: true });
});
afterEach(() => rm(root, { recursive: true, force: true }));

const inRoot = (path: string): string => join(root, path);
const readManifest = async (): Promise<Record<string, Record<string, string>>> =>
  JSON.parse(await readFile(join(CHECKOUT, "package.json"), "utf8"));
const asked = async (): Promise<{ args: string[]; manifest: Record<string, Record<string, string>> }> =>
  JSON.parse(await readFile(inRoot("asked.json"), "utf8"));

/** Says what it was asked for, and brings nothing but that. */
const BRINGS = `
const { mkdirSync, readFileSync, symlinkSync, writeFileSync } = require("node:fs");
const { dirname, join } = require("node:path");
const manifest = JSON.parse(readFileSync("package.json", "utf8"));
writeFileSync(${"`${process.env.ROOT}/asked.json`"}, JSON.stringify({ args: process.argv.slice(2), manifest }), { flag: "wx" });
for (const name of Object.keys(manifest.dependencies)) {
  mkdirSync(dirname(join("node_modules", name)), { recursive: true });
  symlinkSync(join(${JSON.stringify(CHECKOUT)}, "node_modules", name), join("node_modules", name));
}`;

async function install(npm: string = BRINGS, command?: string): Promise<void> {
  const path = inRoot("npm.cjs");
  await writeFile(path, npm.replaceAll("process.env.ROOT", JSON.stringify(root)));
  await prepare({
    root,
    command,
    npm: { file: process.execPath, args: [path] },
    say: (line) => said.push(line),
  });
}

test("what is fetched is the bundler and what is bundled, in the versions of package.json", async () => {
  const bundled = (await bundle(CHECKOUT)).flatMap((file) => file.bundled);
  expect(BUILD_PACKAGES.toSorted()).toEqual([...new Set([...bundled, "rolldown"])].toSorted());
  const texts = ["package.json", "pnpm-lock.yaml"].map((name) => readFile(join(CHECKOUT, name), "utf8"));
  const [manifest = "", lockfile = ""] = await Promise.all(texts);
  const plan = planFetch(manifest, lockfile);
  expect((await readManifest())["devDependencies"]).toMatchObject(plan.dependencies);
  // rolldown wants any 1.x of it.
  const locked = JSON.parse(
    await readFile(
      join(await realpath(join(CHECKOUT, "node_modules/rolldown")), "../@rolldown/pluginutils/package.json"),
      "utf8",
    ),
  ) as { version: string };
  expect(plan.overrides["@rolldown/pluginutils"]).toBe(locked.version);
});

test("a clone without devDependencies is built as this checkout is, and nothing else stays", async () => {
  const before = await readdir(root);
  await build(CHECKOUT);
  await install();
  const ours = (await readdir(join(CHECKOUT, "dist"))).filter((name) => name !== "types");
  expect(await readdir(inRoot("dist"))).toEqual(ours);
  for (const name of ours)
    expect(await readFile(inRoot(`dist/${name}`)), name).toEqual(
      await readFile(join(CHECKOUT, "dist", name)),
    );
  expect((await readdir(root)).toSorted()).toEqual(
    [...before, ".tmp", "asked.json", "dist", "npm.cjs"].toSorted(),
  );
  expect(await readdir(inRoot(".tmp"))).toEqual(["build.json"]);
  const { args, manifest } = await asked();
  expect(args).toEqual(expect.arrayContaining(["install", "--ignore-scripts", "--legacy-peer-deps"]));
  expect(Object.keys(manifest).toSorted()).toEqual(["dependencies", "overrides", "private"]);

  // The stand-in refuses a second call.
  await install();
  expect(said.at(-1)).toBe("dist is up to date");
});

test("a clone of another commit is built again, and not loaded when that fails", async () => {
  await install();
  await rm(inRoot("asked.json"));
  await writeFile(inRoot("src/index.ts"), 'export const changed = "anew";\n');
  await install();
  expect(await readFile(inRoot("dist/index.js"), "utf8")).toContain("anew");

  await writeFile(inRoot("src/index.ts"), "export const changed = 2;\n");
  await install(NO_NETWORK);
  expect(said.slice(-2)).toEqual([
    `prepare: dist could not be built: the tools are missing until \`npx pnpm@12 build\` was run in ${root}`,
    "npm error code ENOTFOUND",
  ]);
  await expect(stat(inRoot("dist"))).rejects.toMatchObject({ code: "ENOENT" });
});

test("a source that does not build is named, and the install stands", async () => {
  await writeFile(inRoot("src/index.ts"), 'export * from "./nowhere.ts";\n');
  await install();
  expect(said.at(-1)).toContain("./nowhere.ts");
  expect(await readdir(inRoot(".tmp"))).toEqual([]);
});

test.each(["pack", "publish"])(
  "`npm %s` without devDependencies fails, since it needs declarations, too",
  async (command) => {
    const end = await runCommand(process.execPath, [inRoot("scripts/prepare.js")], {
      cwd: root,
      env: { ...process.env, npm_command: command },
    });
    expect(end).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("the build tools are not installed"),
    });
  },
);

test("with devDependencies nothing is fetched, and declarations are missed", async () => {
  await install();
  await symlink(join(CHECKOUT, "node_modules"), inRoot("node_modules"));
  await install(NO_NETWORK);
  expect(said.at(-1)).toMatch(/^dist built in/);
  expect(await readdir(inRoot("dist/types"))).toContain("index.d.ts");

  const [file, ...args] = (await readManifest())["scripts"]?.["prepare"]?.split(" ") ?? [];
  expect(file).toBe("node");
  const again = await runCommand(process.execPath, args, { cwd: root, env: process.env });
  expect(again).toEqual({ code: 0, stdout: "dist is up to date\n", stderr: "" });
});

test("a Node that runs no TypeScript says so, and leaves no dist of another commit", async () => {
  await mkdir(inRoot("dist"));
  const run = (command: string) =>
    runCommand(process.execPath, ["--no-experimental-strip-types", inRoot("scripts/prepare.js")], {
      cwd: root,
      env: { ...process.env, npm_command: command },
    });
  expect(await run("install")).toEqual({
    code: 0,
    stdout: "",
    stderr: `prepare: Node ${process.versions.node} cannot build dist, Node 22.19 or newer can: the tools are missing until \`npx pnpm@12 build\` was run in ${root}/\n`,
  });
  await expect(stat(inRoot("dist"))).rejects.toMatchObject({ code: "ENOENT" });
  expect(await run("pack")).toMatchObject({ code: 1 });
});
