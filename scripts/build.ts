/**
 * Builds `dist`: JavaScript by rolldown, declarations by tsc. Cheap to call: nothing happens while
 * neither the sources nor the built files changed. Safe beside running tests: every file is replaced
 * in one rename, what others load before what loads it, so no reader meets half a file or a missing one.
 */

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";

const ROOT = dirname(import.meta.dirname);
/** Files besides `src` that decide what is built, those that build it included. */
export const INPUTS: readonly string[] = [
  "package.json",
  "pnpm-lock.yaml",
  "tsconfig.json",
  "tsconfig.build.json",
  "THIRD_PARTY_NOTICES.md",
  "scripts/build.ts",
  "scripts/bundle.ts",
];

/** Digest of everything that went in, and of each file that came out. */
interface BuildRecord {
  inputs: string;
  declarations: boolean;
  outputs: Record<string, string>;
}

const TOOLS_MISSING = "the build tools are not installed; `npx pnpm@12 build` installs them and builds";

/** What a build did. */
export interface BuildResult {
  /** False when `dist` was up to date. */
  built: boolean;
  durationMs: number;
}

/** How a build may differ. */
export interface BuildOptions {
  /** A copy of `root` beside the packages to build with; default `root` itself. */
  from?: string;
  /** False leaves types out, which programs against the package need and pi does not; default true. */
  declarations?: boolean;
}

/** Brings `dist` below `root` up to date. Throws with what is wrong; `dist` is then as it was. */
export async function build(root: string = ROOT, options: BuildOptions = {}): Promise<BuildResult> {
  const { from = root, declarations = true } = options;
  const started = performance.now();
  const built = !(await isBuilt(root, { declarations }));
  if (built) {
    const staging = join(root, ".tmp", `dist-${process.pid}-${Date.now()}`);
    try {
      const inputs = await digestInputs(from);
      const entries = await buildInto(from, staging, declarations);
      const outputs = await publish(staging, join(root, "dist"), entries);
      const record = { inputs, declarations, outputs } satisfies BuildRecord;
      await replaceFile(recordPath(root), JSON.stringify(record));
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  }
  return { built, durationMs: performance.now() - started };
}

/** Fills `staging`; returns the names of the entry files. */
async function buildInto(root: string, staging: string, types: boolean): Promise<Set<string>> {
  const { bundle, bundleProblems } = await loadBundler();
  await mkdir(staging, { recursive: true });
  const declarations = types ? emitDeclarations(root, join(staging, "types")) : undefined;
  // Both end before anything is thrown: a compiler that still runs would bring the removed folder back.
  const [bundled, declared] = await Promise.allSettled([bundle(root), declarations]);
  if (bundled.status === "rejected") throw bundled.reason;
  if (declared.status === "rejected") throw declared.reason;
  const files = bundled.value;
  const problems = bundleProblems(files, await readFile(join(root, "THIRD_PARTY_NOTICES.md"), "utf8"));
  if (problems.length > 0) throw new Error(problems.join("\n"));
  await Promise.all(files.map((file) => writeFile(join(staging, file.name), file.code)));
  return new Set(files.filter((file) => file.isEntry).map((file) => file.name));
}

/** The tools are absent after an install without devDependencies. */
async function loadBundler(): Promise<typeof import("./bundle.ts")> {
  try {
    return await import("./bundle.ts");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new Error(TOOLS_MISSING, { cause: error });
  }
}

async function emitDeclarations(root: string, outDir: string): Promise<void> {
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  const options = ["-p", join(root, "tsconfig.build.json"), "--outDir", outDir];
  try {
    await promisify(execFile)(process.execPath, [compiler, ...options], { cwd: root });
  } catch (error) {
    const { stdout, message } = error as Error & { stdout?: string };
    throw new Error(`the declarations do not build\n${stdout || message}`, { cause: error });
  }
}

/** Moves `staging` into `dist`, entries last, then removes what is no longer built. Returns digests by file. */
async function publish(staging: string, dist: string, entries: Set<string>): Promise<Record<string, string>> {
  const names = await listFiles(staging);
  const outputs: Record<string, string> = {};
  for (const name of names.toSorted((a, b) => Number(entries.has(a)) - Number(entries.has(b)))) {
    outputs[name] = digest(await readFile(join(staging, name)));
    await mkdir(dirname(join(dist, name)), { recursive: true });
    await rename(join(staging, name), join(dist, name));
  }
  const stale = (await listFiles(dist)).filter((name) => !Object.hasOwn(outputs, name));
  await Promise.all(stale.map((name) => rm(join(dist, name), { force: true })));
  return outputs;
}

/** Whether `dist` below `root` is what a build of the sources there would make, declarations aside when none are wanted. */
export async function isBuilt(root: string, { declarations = true }: BuildOptions = {}): Promise<boolean> {
  if (!existsSync(recordPath(root))) return false;
  const record = JSON.parse(await readFile(recordPath(root), "utf8")) as BuildRecord;
  if (declarations && !record.declarations) return false;
  if (record.inputs !== (await digestInputs(root))) return false;
  const names = await listFiles(join(root, "dist"));
  if (names.length !== Object.keys(record.outputs).length) return false;
  const digests = await Promise.all(
    names.map(async (name) => digest(await readFile(join(root, "dist", name)))),
  );
  return names.every((name, index) => record.outputs[name] === digests[index]);
}

function recordPath(root: string): string {
  return join(root, ".tmp", "build.json");
}

async function digestInputs(root: string): Promise<string> {
  const sources = (await listFiles(join(root, "src"))).map((name) => join("src", name));
  const names = [...sources, ...INPUTS].toSorted();
  const contents = await Promise.all(names.map((name) => readFile(join(root, name))));
  const hash = createHash("sha256");
  names.forEach((name, index) =>
    hash.update(`${name} ${contents[index]?.length}\n`).update(contents[index] ?? ""),
  );
  return hash.digest("hex");
}

/** Paths of every file below `folder`, relative to it, sorted; none when it does not exist. */
async function listFiles(folder: string): Promise<string[]> {
  if (!existsSync(folder)) return [];
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => relative(folder, join(entry.parentPath, entry.name))).toSorted();
}

async function replaceFile(path: string, text: string): Promise<void> {
  const fresh = `${path}.${process.pid}`;
  await writeFile(fresh, text);
  await rename(fresh, path);
}

function digest(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

if (import.meta.main) {
  try {
    const [flag, root] = process.argv.slice(2);
    const into = flag === "--into" ? root : undefined;
    const { built, durationMs } = await build(into, into ? { from: ROOT, declarations: false } : {});
    console.log(built ? `dist built in ${Math.round(durationMs)} ms` : "dist is up to date");
  } catch (error) {
    console.error(`build: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}
