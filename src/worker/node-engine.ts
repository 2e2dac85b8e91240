/** Programs in plain Node: everything Node has is theirs. */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import vm from "node:vm";
import { errorText } from "../base/error-text.ts";
import { lineSink } from "../base/line-sink.ts";
import { exec } from "../base/primordials.ts";
import type { Engine, EngineListener } from "./engine.ts";
import { formatValues } from "./node-format.ts";
import { hideWorkerFrames } from "./program-stacks.ts";
import type { LogLevelKind, RunFrame } from "./protocol.ts";
import { rehearseTexts } from "./rehearsal.ts";

// Taken before a program can patch it.
const immediate = setImmediate;
/** What models write that know Node's older modules. */
const OF_COMMONJS = /^ReferenceError: (?:require|module|exports|__dirname|__filename) is not defined$/;
const COMMONJS_HINT =
  ' (a program is no CommonJS module: use `await import("node:...")`, `return` and `process.cwd()`)';

/** The program as a function. `fileName` is a URL in the folder that imports start from. */
function compileProgram(
  { code, loneFunction }: Pick<RunFrame, "code" | "loneFunction">,
  fileName: string,
): () => Promise<unknown> {
  // What goes around the program stands on lines of its own, so that its lines and columns are those of the source.
  const [before, after] = loneFunction ? ["return (", ")"] : ["", ""];
  const script = new vm.Script(`(async function program() {${before}\n${code}\n${after}})`, {
    filename: fileName,
    lineOffset: -1,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  return script.runInThisContext() as () => Promise<unknown>;
}

/** Runs once what every program needs. */
export function rehearseNode(): void {
  rehearseTexts();
  compileProgram({ code: "return 1", loneFunction: false }, "file:///rehearsal.js");
  // Both streams are made when they are first asked for.
  void [process.stdout, process.stderr];
}

/** The node engine for a program in `cwd`. */
export function createNodeEngine(cwd: string): Engine {
  const fileName = pathToFileURL(join(cwd, "ptc-program.js")).href;
  const sinks: (() => void)[] = [];
  const flush = (): void => {
    for (const sink of sinks) sink();
  };
  return {
    fileName,
    columnShift: 0,
    format: formatValues,
    compile: (program) => compileProgram(program, fileName),
    start: (listener) => {
      hideWorkerFrames();
      process.on("uncaughtException", (error) => listener.fail(error));
      process.on("unhandledRejection", (reason, promise) => listener.stray(reason, promise));
      process.on("rejectionHandled", (promise) => listener.caught(promise));
      process.on("beforeExit", () => listener.stuck());
      process.on("exit", flush);
      sinks.push(captureStream(process.stdout, "log", listener));
      sinks.push(captureStream(process.stderr, "error", listener));
    },
    later: (task) => void immediate(task),
    flush,
    describe: (thrown) => {
      const message = errorText(thrown);
      return exec(OF_COMMONJS, message) === null
        ? undefined
        : { kind: "exception", message: message + COMMONJS_HINT };
    },
  };
}

/** Takes what is written to a stream. The returned function hands over a last line without newline. */
function captureStream(
  stream: NodeJS.WriteStream,
  level: LogLevelKind,
  listener: EngineListener,
): () => void {
  const sink = lineSink((line) => listener.print(level, line));
  stream.write = ((chunk: unknown, encoding?: unknown, done?: unknown): boolean => {
    sink.write(chunk, typeof encoding === "function" ? undefined : encoding);
    const callback = typeof encoding === "function" ? encoding : done;
    if (typeof callback === "function") process.nextTick(callback as () => void);
    return true;
  }) as typeof stream.write;
  return sink.flush;
}
