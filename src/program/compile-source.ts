/**
 * From the text a model wrote to the body a worker evaluates: unwraps one markdown fence, erases
 * types, and checks the syntax. Runs in the compile thread, so a text that upsets the stripper
 * cannot hurt pi.
 */

import module from "node:module";
import vm from "node:vm";
import { excerptOf } from "../base/excerpt.ts";

/** Result of compiling one program. */
export type CompileResult =
  | { ok: true; code: string; source: string; loneFunction: boolean }
  | {
      ok: false;
      message: string;
      excerpt: string;
      /** Absent when the text is at fault. */
      kind?: "abort" | "refused";
    };

const WRAPPER_LINES = 1;
const FENCE = /^[ \t]*(`{3,}|~{3,})/;
/** Behind the name of a language some models write attributes. */
const FENCE_LINE = /^[ \t]*(`{3,}|~{3,})[ \t]*(?:[\w-]*|(?:[jt]sx?|mjs|javascript|typescript)\b[^`]*)[ \t]*$/;
const FENCED = "the text is not code alone: give the code without markdown fences and prose";
/** What a text begins with that may be one function; whether it is shows when it is parsed as an expression. */
const FUNCTION_START = /^(?:async\b|function\b|\(|[A-Za-z_$][\w$]*\s*=>)/;
const LEADING_COMMENT = /^\s*(?:\/\/[^\n]*(?:\n|$)|\/\*(?:[^*]|\*(?!\/))*\*\/)/;
const FILE_NAME = "program";

/** Compiles one program. Throws only when the stripper itself fails, after which it must not be used again. */
export function compileSource(text: string): CompileResult {
  const source = unwrapFence(text);
  if (source.trim() === "")
    return failed("the program is empty; write the body of an async function and `return` its result", "");
  if (FUNCTION_START.test(withoutComments(source))) {
    const lone = compileBody(source.trimEnd().replace(/;$/, ""), source, ["return (", ")"]);
    if (lone.ok) return { ...lone, loneFunction: true };
  }
  const lines = source.trim().split("\n");
  // To JavaScript a fence is an empty text that is called, which fails only when it runs.
  if (FENCE_LINE.test(lines[0] ?? "")) return failed(FENCED, excerptOf(source, 1));
  const result = compileBody(source, source);
  if (result.ok || !lines.some((line) => FENCE_LINE.test(line))) return result;
  return { ...result, message: `${result.message} (${FENCED})` };
}

/** The inside of a text that is one fenced block, else the text itself. */
export function unwrapFence(text: string): string {
  const plain = text.replaceAll("\r\n", "\n");
  const lines = plain.trim().split("\n");
  const fence = FENCE_LINE.exec(lines[0] ?? "")?.[1];
  if (fence === undefined || lines.length < 2 || lines.at(-1)?.trim() !== fence) return plain;
  const body = lines.slice(1, -1);
  // A fence in the middle means that the text is several blocks, or prose around one.
  return body.some((line) => FENCE.exec(line)?.[1] === fence) ? plain : body.join("\n");
}

function withoutComments(source: string): string {
  let rest = source;
  for (let match = LEADING_COMMENT.exec(rest); match; match = LEADING_COMMENT.exec(rest)) {
    rest = rest.slice(match[0].length);
  }
  return rest.trimStart();
}

function compileBody(body: string, source: string, [before, after] = ["", ""]): CompileResult {
  let code: string;
  try {
    const stripped = module.stripTypeScriptTypes(
      `async function ${FILE_NAME}() {${before}\n${body}\n${after}}`,
    );
    code = stripped.slice(stripped.indexOf("\n") + 1, stripped.lastIndexOf("\n"));
  } catch (error) {
    // Anything else is a fault of the stripper, such as a stack of its own that overflowed.
    if (!(error instanceof SyntaxError)) throw error;
    return describeStripError(error, source);
  }
  try {
    // The constructor takes a body only as a whole: a stray `}` cannot close the function it is put into.
    // oxlint-disable-next-line no-new-func
    new AsyncFunction(`${before}\n${code}\n${after}`);
    return { ok: true, code, source, loneFunction: false };
  } catch (error) {
    return describeSyntaxError(error, code, source);
  }
}

const AsyncFunction = (async () => undefined).constructor as FunctionConstructor;

/** The stripper puts `:<line>`, the text and carets ahead of its message in the stack. */
function describeStripError(error: unknown, source: string): CompileResult {
  const { message, stack, code } = error as NodeJS.ErrnoException;
  const line = Number(/^[^\n]*?:(\d+)\n/.exec(stack ?? "")?.[1] ?? Number.NaN) - WRAPPER_LINES;
  const carets = /\n( *)\^+\n/.exec(stack ?? "")?.[1]?.length;
  const where = excerptOf(source, line, carets === undefined ? undefined : carets + 1);
  const failing = source.split("\n")[line - 1] ?? "";
  if (/'import', and 'export'/.test(message)) return failed(...describeModuleSyntax(failing, line, where));
  const unsupported =
    /^TypeScript (enum|namespace declaration|parameter property|import equals.*?|export assignment) is not supported/.exec(
      message,
    );
  if (unsupported) {
    const construct = unsupported[1] === "namespace declaration" ? "namespace" : unsupported[1];
    return failed(
      `line ${line}: TypeScript \`${construct}\` is not supported, since types are only erased; write plain JavaScript instead`,
      where,
    );
  }
  const kind = code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX" ? message : `SyntaxError: ${message}`;
  return failed(Number.isNaN(line) ? kind : `line ${line}: ${kind}${jsxHint(failing)}`, where);
}

function describeModuleSyntax(
  failing: string,
  line: number,
  where: string,
): [message: string, where: string] {
  if (/^\s*export\b/.test(failing)) {
    return [
      `line ${line}: \`export\` cannot stand in a program; it is the body of an async function: \`return\` the result instead`,
      where,
    ];
  }
  return [
    `line ${line}: static \`import\` cannot stand in a program; use \`const { name } = await import("module")\` instead`,
    where,
  ];
}

const jsxHint = (failing: string): string =>
  /<[A-Za-z][\w.]*[\s/>]/.test(failing) ? " (JSX is not supported)" : "";

/** Compiles once more as a script, whose errors carry a line, unlike those of the constructor. */
function describeSyntaxError(error: unknown, code: string, source: string): CompileResult {
  let line = Number.NaN;
  let carets: number | undefined;
  try {
    new vm.Script(`(async function ${FILE_NAME}() {\n${code}\n})`, {
      filename: FILE_NAME,
      lineOffset: -WRAPPER_LINES,
    });
  } catch (located) {
    const stack = (located as Error).stack ?? "";
    line = Number(/^program:(\d+)\n/.exec(stack)?.[1] ?? Number.NaN);
    carets = /\n( *)\^+\n/.exec(stack)?.[1]?.length;
  }
  const failing = source.split("\n")[line - 1] ?? "";
  const hint = /^\s*@\w/.test(failing) ? " (decorators are not supported)" : "";
  const message = `SyntaxError: ${error instanceof Error ? error.message : String(error)}${hint}`;
  return failed(
    Number.isNaN(line) ? message : `line ${line}: ${message}`,
    excerptOf(source, line, carets === undefined ? undefined : carets + 1),
  );
}

const failed = (message: string, where: string): CompileResult => ({ ok: false, message, excerpt: where });
