/** Which pi runs a child: the one that runs us, by absolute path, unless the user names another (spec 2.3). */

import { accessSync, constants, existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";

/** What is known of the process we run in. */
export interface HostProcess {
  /** `process.execPath`. */
  execPath: string;
  /** `process.argv[1]`. */
  entry: string | undefined;
  /** Where a relative `entry` starts: `process.cwd()`. */
  cwd: string;
  /** `PI_PTC_COMMAND`, which goes before the setting. */
  variable: string | undefined;
  /** The user setting `command`. */
  setting: string | undefined;
  /** pi's `getPackageDir()`; may be wrong, so it is checked. */
  packageDir: string | undefined;
}

/** Command and first arguments, or what was tried. */
export type PiCommand = { ok: true; command: string; args: string[] } | { ok: false; refusal: string };

const PI_PACKAGE = "@earendil-works/pi-coding-agent";
/** Bun's paths inside a compiled binary (pi's examples/extensions/subagent). */
const VIRTUAL_ENTRY = /^(?:\/\$bunfs\/|[A-Za-z]:[\\/]~BUN[\\/])/;
const GENERIC_RUNTIME = /^(?:node|nodejs|bun)[\d.-]*(?:\.exe)?$/i;

/** Is this process pi's command line? Only then are its arguments pi's, and may go to a child. */
export function isPiProcess(host: HostProcess): boolean {
  return ownCommand(host) !== undefined;
}

/** The command that starts a child. Never throws. */
export function piCommand(host: HostProcess): PiCommand {
  for (const [name, path] of [
    ["the variable PI_PTC_COMMAND", host.variable],
    ["the setting command", host.setting],
  ] as const) {
    if (path !== undefined && path.trim() !== "") return namedCommand(name, path.trim());
  }
  const own = ownCommand(host);
  if (own) return { ok: true, ...own };
  return installedCommand(host);
}

function namedCommand(name: string, path: string): PiCommand {
  const command = path.replace(/^~(?=[/\\])/, () => homedir());
  const problem = executableProblem(command);
  if (problem === undefined) return { ok: true, command, args: [] };
  return {
    ok: false,
    refusal: `${name} is ${JSON.stringify(path)}, which ${problem}; it must be the absolute path of an executable that takes pi's arguments (more arguments go into the setting childArgs)`,
  };
}

function executableProblem(path: string): string | undefined {
  if (!isAbsolute(path)) return "is no absolute path";
  try {
    if (!statSync(path).isFile()) return "is no file";
    accessSync(path, constants.X_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? "does not exist" : `cannot be executed (${code})`;
  }
}

/** How this very pi is started anew; undefined when this is no pi. */
function ownCommand(host: HostProcess): { command: string; args: string[] } | undefined {
  const { execPath, entry } = host;
  if (entry === undefined || VIRTUAL_ENTRY.test(entry)) {
    const compiled = !GENERIC_RUNTIME.test(basename(execPath)) && isPiPackage(dirname(execPath));
    return compiled ? { command: execPath, args: [] } : undefined;
  }
  const script = realPath(resolve(host.cwd, entry));
  const folder = script && packageOf(dirname(script));
  if (!script || !folder) return undefined;
  // Other scripts in there, such as pi's SDK examples, are hosts of their own.
  const name = basename(script).replace(/\.[cm]?[jt]s$/, "");
  if (name === "cli") return { command: execPath, args: [script] };
  const cli = name === "rpc-entry" ? commandLineOf(folder) : undefined;
  return cli === undefined ? undefined : { command: execPath, args: [cli] };
}

/** In a host that is no pi: the pi package it uses. */
function installedCommand(host: HostProcess): PiCommand {
  const script = host.entry === undefined ? undefined : realPath(resolve(host.cwd, host.entry));
  const what = `this process is not pi's command line (it runs ${script ?? host.entry ?? host.execPath})`;
  const next =
    "name a pi executable by its absolute path in PI_PTC_COMMAND or in the setting command of ptc.json";
  if (!GENERIC_RUNTIME.test(basename(host.execPath)))
    return {
      ok: false,
      refusal: `no pi was found to run children: ${what}, and ${host.execPath} is neither pi nor a Node that could run it; ${next}`,
    };
  const places = [
    ...(host.packageDir === undefined ? [] : [host.packageDir]),
    ...(script === undefined ? [] : foldersUpFrom(dirname(script))).map((folder) =>
      join(folder, "node_modules", PI_PACKAGE),
    ),
  ];
  for (const place of places) {
    const folder = realPath(place);
    const cli = folder && isPiPackage(folder) ? commandLineOf(folder) : undefined;
    if (cli !== undefined) return { ok: true, command: host.execPath, args: [cli] };
  }
  const tried = places.length === 0 ? "there was no folder to look in" : `tried ${places.join(", ")}`;
  return { ok: false, refusal: `no pi was found to run children: ${what}; ${tried}; ${next}` };
}

/** The innermost package around `folder` when it is pi's. A `dist` may hold a copy of the package file. */
function packageOf(folder: string): string | undefined {
  const found = foldersUpFrom(folder).find((candidate) => existsSync(join(candidate, "package.json")));
  if (found === undefined || !isPiPackage(found)) return undefined;
  const outer = dirname(found);
  return basename(found) === "dist" && isPiPackage(outer) ? outer : found;
}

/** Rebranded builds carry another name, but pi's configuration. */
function isPiPackage(folder: string): boolean {
  const manifest = manifestOf(folder);
  return manifest?.["name"] === PI_PACKAGE || isObject(manifest?.["piConfig"]);
}

function commandLineOf(folder: string): string | undefined {
  const bin = manifestOf(folder)?.["bin"];
  const paths = isObject(bin) ? Object.values(bin) : [bin];
  const path = paths.find((candidate) => typeof candidate === "string");
  const script = typeof path === "string" ? join(folder, path) : undefined;
  return script !== undefined && existsSync(script) ? script : undefined;
}

function manifestOf(folder: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return isObject(value) ? value : undefined;
  } catch {
    // Absent or broken: not a package that could be pi's.
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

function foldersUpFrom(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...foldersUpFrom(parent)];
}

/** Package managers link pi's command; what it needs lies beside the real file. */
function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    // Gone, or never a file.
    return undefined;
  }
}
