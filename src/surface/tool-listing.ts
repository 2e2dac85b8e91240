/** A tool as programs see it: its declaration as TypeScript. */

import { schemaToType } from "@earendil-works/pi-codemode/declarations";
import { identifierForm, isPlainName } from "../base/identifier-form.ts";

/** What is needed of a tool to declare or find it. */
export interface ListedTool {
  name: string;
  description: string;
  /** JSON schema of the arguments. */
  parameters: unknown;
  /** JSON schema of `structuredContent`. */
  outputSchema?: unknown;
  /** Rules the system prompt has only for declared tools. */
  guidelines?: readonly string[];
  namespace?: { name: string; description?: string };
}

/** What every call resolves to; declared once in front of the tools. */
export const RESULT_TYPE =
  "type Result<T = never> = { content: { type: string; text?: string; data?: string; mimeType?: string }[]; details: object | null; structuredContent?: T };";

/** Longer types become `unknown`. */
const MAX_TYPE_CHARS = 16_000;

/** Writes a JSON schema as a TypeScript type. */
export type TypeWriter = (schema: unknown) => string;

/**
 * The declaration of one tool as a member of `tools`, comments first. `names` are all bindings: with them
 * a name that is no identifier also shows its identifier form, unless another binding has that.
 */
export function declareTool(
  tool: ListedTool,
  names: readonly string[] = [],
  typeOf: TypeWriter = writeType,
): string {
  const bullets = (tool.guidelines ?? [])
    .filter((line) => line.trim() !== "")
    .map((line) => `- ${line.trim()}`);
  const comments = [tool.description.trim(), ...bullets].join("\n").split(/\r\n|[\n\r\u2028\u2029]/);
  const lines = comments.filter((line) => line.trim() !== "").map((line) => `// ${line.trimEnd()}`);
  return [...lines, signature(tool, names, typeOf)].join("\n");
}

/** A writer that knows the schemas it has seen; writing one takes far longer than all else of a declaration. */
export function rememberTypes(): TypeWriter {
  const known = new WeakMap<object, string>();
  return (schema) => {
    if (typeof schema !== "object" || schema === null) return writeType(schema);
    const text = known.get(schema) ?? writeType(schema);
    known.set(schema, text);
    return text;
  };
}

function signature(tool: ListedTool, names: readonly string[], typeOf: TypeWriter): string {
  const plain = isPlainName(tool.name);
  const optional = takesNothing(tool.parameters) ? "?" : "";
  const result = tool.outputSchema === undefined ? "Result" : `Result<${typeOf(tool.outputSchema)}>`;
  const alias = plain ? "" : aliasOf(tool.name, names);
  return `${plain ? tool.name : JSON.stringify(tool.name)}(args${optional}: ${typeOf(tool.parameters)}): Promise<${result}>;${alias}`;
}

function aliasOf(ofName: string, names: readonly string[]): string {
  const form = identifierForm(ofName);
  const isTaken = names.some((name) => name !== ofName && (name === form || identifierForm(name) === form));
  return isTaken ? "" : ` // or tools.${form}`;
}

function writeType(schema: unknown): string {
  if (typeof schema !== "object" || schema === null) return "unknown";
  try {
    return schemaToType(schema as Record<string, unknown>, { maxChars: MAX_TYPE_CHARS });
  } catch {
    // Nested too deep for the renderer: the tool is callable all the same.
    return "unknown";
  }
}

function takesNothing(schema: unknown): boolean {
  const required = (schema as { required?: unknown } | null | undefined)?.required;
  return !Array.isArray(required) || required.length === 0;
}
