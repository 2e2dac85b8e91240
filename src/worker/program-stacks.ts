/**
 * What a program sees in `error.stack`: places in itself and its modules. Those of the worker, and of Node below
 * them, would cost ten lines an error.
 */

import { indexOf, slice, uncurry } from "../base/primordials.ts";

const errorToString = uncurry(Error.prototype.toString);
const stacks = Error as {
  prepareStackTrace?: ((error: Error, sites: NodeJS.CallSite[]) => unknown) | undefined;
};

/** From now on stacks are written so. A program may set a formatter of its own. */
export function hideWorkerFrames(): void {
  const worker = ownFileName();
  stacks.prepareStackTrace = (error, sites) => {
    try {
      return headOf(error) + framesOf(sites, worker);
    } catch {
      // Whatever the program patched, reading a stack must not throw.
      return "";
    }
  };
}

/** The worker's bundle. */
function ownFileName(): string {
  const before = stacks.prepareStackTrace;
  stacks.prepareStackTrace = (_error, sites) => sites[0]?.getFileName();
  try {
    return String(new Error("whose file").stack);
  } finally {
    stacks.prepareStackTrace = before;
  }
}

function headOf(error: Error): string {
  try {
    return errorToString(error);
  } catch {
    // A getter of the program.
    return "Error";
  }
}

function framesOf(sites: readonly NodeJS.CallSite[], worker: string): string {
  let all = "";
  let shown = "";
  let end = 0;
  for (let index = 0; index < sites.length; index += 1) {
    const site = sites[index] as NodeJS.CallSite;
    const file = site.getFileName();
    const line = `\n    at ${String(site)}`;
    all += line;
    if (file === worker) continue;
    shown += line;
    // Built-ins of the language have no file.
    if (typeof file === "string" && indexOf(file, "node:") !== 0) end = shown.length;
  }
  // An error in which the program has no part is shown whole.
  return end === 0 ? all : slice(shown, 0, end);
}
