/** The package as npm would publish it, and as a user would have it after installing. */

import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SandboxHome } from "../../scripts/sandbox-home.ts";
import { runCommand } from "./pi-process.ts";

/** This repository. */
export const CHECKOUT = join(import.meta.dirname, "../..");

/** The tarball, and the paths of the files in it. */
export interface Packed {
  tarball: string;
  files: string[];
}

/** Packs the checkout as it is built, into the home. */
export async function pack(home: SandboxHome): Promise<Packed> {
  const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", home.root];
  const { code, stdout, stderr } = await runCommand("npm", args, { cwd: CHECKOUT, env: home.env });
  if (code !== 0) throw new Error(`npm pack failed\n${stderr}`);
  const [packed] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  return {
    tarball: join(home.root, packed.filename),
    files: packed.files.map(({ path }) => path).toSorted(),
  };
}

/** Installs the tarball into a clean folder with the options pi itself uses, and no network. Returns the package's folder. */
export async function installTarball(home: SandboxHome, tarball: string): Promise<string> {
  const folder = join(home.root, "clean");
  await mkdir(folder);
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "clean", private: true }));
  const args = [
    "install",
    tarball,
    "--offline",
    "--ignore-scripts",
    "--legacy-peer-deps",
    "--no-audit",
    "--no-fund",
  ];
  const { code, stderr } = await runCommand("npm", args, { cwd: folder, env: home.env });
  if (code !== 0) throw new Error(`npm install failed\n${stderr}`);
  return join(folder, "node_modules", "pi-ptc-subagents");
}

/** Every file that ships besides the built ones and the pages of `docs`. */
const FIXED = [
  "CHANGELOG.md",
  "LICENSE",
  "README.md",
  "SECURITY.md",
  "THIRD_PARTY_NOTICES.md",
  "package.json",
  "ptc.schema.json",
  "src/extension.ts",
];
/** Files that are started or loaded by their name. */
const ENTRIES = [
  "dist/compile-worker.cjs",
  "dist/extension.js",
  "dist/index.js",
  "dist/quickjs-guest.js",
  "dist/quickjs-worker.cjs",
  "dist/quickjs.wasm",
  "dist/types/index.d.ts",
  "dist/worker.cjs",
];
const GENERATED = [/^dist\/[\w-]+-[\w-]{8}\.js$/, /^dist\/types\/[\w/-]+\.d\.ts$/];

/** Sentences about what is missing from `files` or does not belong there. */
export async function contentProblems(files: readonly string[]): Promise<string[]> {
  const pages = (await readdir(join(CHECKOUT, "docs"), { recursive: true })).filter((path) =>
    /\.(md|svg|ts)$/.test(path),
  );
  const wanted = [...FIXED, ...ENTRIES, ...pages.map((page) => `docs/${page.replaceAll("\\", "/")}`)];
  const missing = wanted.filter((path) => !files.includes(path));
  const stray = files.filter(
    (path) => !wanted.includes(path) && !GENERATED.some((pattern) => pattern.test(path)),
  );
  return [
    ...missing.map((path) => `${path} is missing`),
    ...stray.map((path) => `${path} does not belong in the package`),
  ];
}
