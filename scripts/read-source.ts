/** Reads what the checks need to know from a TypeScript file. */

import { parseSync } from "rolldown/utils";

/** One module a file names. */
export interface ImportSite {
  specifier: string;
  /** Erased before the file runs. `import { type A }` is not: the module is still loaded. */
  typeOnly: boolean;
  line: number;
}

/** What one file says about itself. */
export interface SourceFacts {
  /** Every import, re-export, `import()` and type import, in order. */
  imports: ImportSite[];
  /**
   * Characters in comments, 0 to 1 of all. What stands in a type declaration, or right before it, is the
   * contract itself and does not count.
   */
  commentShare: number;
}

interface Node {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

/** Throws with the parser's message when `source` is not TypeScript. */
export function readSource(fileName: string, source: string): SourceFacts {
  const { program, comments, errors } = parseSync(fileName, source, { lang: "ts" });
  if (errors[0]) throw new SyntaxError(`${fileName}: ${errors[0].message}`);
  const imports: ImportSite[] = [];
  visit(program, (node) => {
    const from = node["source"];
    if (!isNode(from) || typeof from["value"] !== "string") return;
    const line = source.slice(0, node.start).split("\n").length;
    imports.push({ specifier: from["value"], typeOnly: isTypeOnly(node), line });
  });
  const contracts = (program.body as unknown as Node[]).filter(isErased).map(({ start, end }) => {
    const doc = comments.find(
      (comment) => comment.end <= start && source.slice(comment.end, start).trim() === "",
    );
    return { start: doc?.start ?? start, end };
  });
  return { imports, commentShare: shareOutside(contracts, comments, source.length) };
}

interface Span {
  start: number;
  end: number;
}

/** Share of `comments` outside `holes` in a file of `length` characters. */
function shareOutside(holes: readonly Span[], comments: readonly Span[], length: number): number {
  const counted = comments.filter(
    (comment) => !holes.some(({ start, end }) => comment.start >= start && comment.end <= end),
  );
  const commented = counted.reduce((sum, { start, end }) => sum + end - start, 0);
  return length > 0 ? commented / length : 0;
}

function isErased(node: Node): boolean {
  if (node.type === "ExportNamedDeclaration" && isNode(node["declaration"]))
    return isErased(node["declaration"]);
  return isTypeOnly(node) || node.type === "TSInterfaceDeclaration" || node.type === "TSTypeAliasDeclaration";
}

function isTypeOnly(node: Node): boolean {
  return node.type === "TSImportType" || node["importKind"] === "type" || node["exportKind"] === "type";
}

function visit(value: unknown, onNode: (node: Node) => void): void {
  if (Array.isArray(value)) {
    for (const item of value) visit(item, onNode);
  } else if (isNode(value)) {
    onNode(value);
    for (const child of Object.values(value)) visit(child, onNode);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Node).type === "string";
}
