/**
 * Turns `src` into the flat set of files that ship. Three graphs: the host's (extension and main
 * entry, which may share chunks), and one self-contained file for each thing that starts alone.
 */

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { join, relative, sep } from "node:path";
import { type OutputChunk, rolldown } from "rolldown";

/** Packages pi supplies. No file reachable from the extension entry may load one itself (ADR on loading). */
export const HOST_PACKAGES: readonly string[] = [
  "@earendil-works/pi-agent-core",
  "@earendil-works/pi-ai",
  "@earendil-works/pi-coding-agent",
  "@earendil-works/pi-tui",
  "typebox",
];

/** Built file without extension, and the source it is made from. */
type Entries = Readonly<Record<string, string>>;

/** Files that share no other file, in one module format. */
interface EntryGroup {
  entries: Entries;
  /**
   * Node starts a CommonJS entry 3 to 4 ms faster than a module, which counts where a worker boots. `iife` is one
   * script for an engine that has no modules and no Node.
   */
  format: "esm" | "cjs" | "iife";
}

/** What is built. */
export const ENTRY_GROUPS: readonly EntryGroup[] = [
  { entries: { extension: "src/extension/activate.ts", index: "src/index.ts" }, format: "esm" },
  { entries: { worker: "src/worker/main.ts" }, format: "cjs" },
  { entries: { "compile-worker": "src/program/compile-worker.ts" }, format: "cjs" },
  { entries: { "quickjs-worker": "src/worker/quickjs-main.ts" }, format: "cjs" },
  { entries: { "quickjs-guest": "src/worker/guest-main.ts" }, format: "iife" },
];

/** Files of packages that ship as they are. */
const COPIES: Readonly<Record<string, { package: string; file: string }>> = {
  "quickjs.wasm": { package: "quickjs-wasi", file: "quickjs.wasm" },
};

const GUEST = "quickjs-guest.js";

/** One built file. */
export interface BuiltFile {
  name: string;
  code: string | Uint8Array;
  isEntry: boolean;
  /** Every module it names, statically or dynamically: built files by file name, packages by name. */
  imports: string[];
  /** Names of the packages whose code it contains. */
  bundled: string[];
}

/** Builds every entry below `root`. Throws when a source is missing or does not build. */
export async function bundle(root: string): Promise<BuiltFile[]> {
  const missing = ENTRY_GROUPS.flatMap(({ entries }) => Object.values(entries)).filter(
    (file) => !existsSync(join(root, file)),
  );
  if (missing.length > 0)
    throw new Error(`cannot build: ${missing.join(", ")} ${missing.length > 1 ? "are" : "is"} missing`);
  const groups = await Promise.all(ENTRY_GROUPS.map((group) => bundleGroup(root, group)));
  return [...groups.flat(), ...(await Promise.all(Object.keys(COPIES).map((name) => copyOf(root, name))))];
}

async function copyOf(root: string, name: string): Promise<BuiltFile> {
  const { package: owner, file } = COPIES[name] as (typeof COPIES)[string];
  const code = await readFile(join(root, "node_modules", owner, file));
  return { name, code, isEntry: false, imports: [], bundled: [owner] };
}

/** Sentences about what may not ship: a host package in the wrong place, or a bundled package that `notices` leaves out. */
export function bundleProblems(files: readonly BuiltFile[], notices: string): string[] {
  const problems: string[] = [];
  const hostFree = reachableFrom(
    ["extension.js", "worker.cjs", "compile-worker.cjs", "quickjs-worker.cjs"],
    files,
  );
  for (const file of files) {
    for (const name of file.imports) {
      if (file.name === GUEST)
        problems.push(`dist/${file.name} imports ${name}; a QuickJS VM has no modules`);
      if (isBuiltin(name) || files.some((other) => other.name === name)) continue;
      if (!HOST_PACKAGES.includes(packageOf(name))) {
        problems.push(`dist/${file.name} imports ${name}, which is neither bundled nor supplied by pi`);
      } else if (hostFree.has(file.name)) {
        problems.push(`dist/${file.name} imports ${name} at run time; take it from the host value instead`);
      }
    }
  }
  for (const name of new Set(files.flatMap((file) => file.bundled))) {
    if (!notices.includes(`## ${name}\n`))
      problems.push(`${name} is bundled but THIRD_PARTY_NOTICES.md has no section "## ${name}"`);
  }
  return problems;
}

async function bundleGroup(root: string, { entries, format }: EntryGroup): Promise<BuiltFile[]> {
  const build = await rolldown({
    cwd: root,
    input: { ...entries },
    platform: format === "iife" ? "neutral" : "node",
    external: (id) => isBuiltin(id) || HOST_PACKAGES.includes(packageOf(id)),
    // The VM knows what ES2023 has; `using` it does not.
    transform: { target: format === "iife" ? "es2023" : "node22.19" },
    experimental: { attachDebugInfo: "none" },
    onLog: (level, log, fallback) => fallback(level === "warn" ? "error" : level, log),
  });
  try {
    const { output } = await build.generate({
      format,
      entryFileNames: format === "cjs" ? "[name].cjs" : "[name].js",
      chunkFileNames: "[name]-[hash].js",
      comments: false,
    });
    return output.map((chunk) => {
      if (chunk.type !== "chunk") throw new Error(`cannot build: ${chunk.fileName} is not a module`);
      return asBuiltFile(root, chunk);
    });
  } finally {
    await build.close();
  }
}

function asBuiltFile(root: string, chunk: OutputChunk): BuiltFile {
  return {
    name: chunk.fileName,
    code: chunk.code,
    isEntry: chunk.isEntry,
    imports: [...new Set([...chunk.imports, ...chunk.dynamicImports])],
    bundled: [
      ...new Set(
        chunk.moduleIds.map((id) => bundledPackage(relative(root, id))).filter((name) => name !== undefined),
      ),
    ],
  };
}

/** The package a module of the graph came from; undefined for our own. */
function bundledPackage(path: string): string | undefined {
  const parts = path.split(sep);
  const at = parts.lastIndexOf("node_modules");
  return at < 0 ? undefined : packageOf(parts.slice(at + 1).join("/"));
}

function packageOf(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}

function reachableFrom(roots: readonly string[], files: readonly BuiltFile[]): Set<string> {
  const reached = new Set<string>();
  const open = [...roots];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const file = reached.has(name) ? undefined : files.find((other) => other.name === name);
    if (!file) continue;
    reached.add(name);
    open.push(...file.imports);
  }
  return reached;
}
