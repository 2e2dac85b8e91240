/** A returned value as rows: a tree of what `details.value` kept, with a count for all that is not shown. */

import { countOf } from "./facts.ts";
import { type Line, MAX_ROW, type Pen, type Span } from "./pen.ts";
import { countIn, isFields, listOf, textsOf } from "./read-fields.ts";
import { oneLine } from "./screen.ts";
import { type Branch, connectorWidth } from "./tree.ts";

const MAX_DEPTH = 4;
const MAX_CHILDREN = 6;
const MAX_INLINE = 5;
const MAX_KEY = 40;
/** A container with fewer rows than this is closed: a count alone says no more than its name. */
const MIN_SHARE = 3;

/** A value's rows: one line, or branches. */
export interface ValueRows {
  head?: Line;
  branches: Branch[];
}

interface Container {
  size: number;
  keys: readonly string[] | undefined;
  items: readonly unknown[];
}

/** A row of the tree that can be pruned. */
interface ValueBranch extends Branch {
  children?: ValueBranch[];
  /** Of a container with entries: what it holds. */
  container?: Container;
  /** Says what is not shown; never pruned by itself. */
  isRest?: boolean;
}

/** The rows of `value`. The first may take `firstWidth` columns, the others `width`; a tree has at most `maxRows`. */
export function valueRows(
  pen: Pen,
  value: unknown,
  { firstWidth, width, maxRows }: { firstWidth: number; width: number; maxRows: number },
): ValueRows {
  const arrow: Span = { text: "→ ", tone: "dim" };
  const container = containerOf(value);
  if (!container) return { head: [arrow, scalarSpan(pen, value)], branches: [] };
  const inline = inlineLine(pen, container);
  if (inline && pen.measure(inline) + arrow.text.length <= firstWidth - connectorWidth(0))
    return { head: [arrow, ...inline], branches: [] };
  return { branches: prune(entryBranches(pen, container, { width, level: 1 }), container, maxRows) };
}

/** `width` of a whole row; `level` from 1 for the entries of the value itself. */
function entryBranches(
  pen: Pen,
  container: Container,
  { width, level }: { width: number; level: number },
): ValueBranch[] {
  const shown = Math.min(container.items.length, MAX_CHILDREN);
  const branches: ValueBranch[] = [];
  for (let index = 0; index < shown; index += 1) {
    const label = labelOf(pen, container, index);
    const child = containerOf(container.items[index]);
    const inline = child && inlineLine(pen, child);
    if (!child) {
      branches.push({ line: [...label, scalarSpan(pen, container.items[index])] });
    } else if (inline && (level >= MAX_DEPTH || fits(pen, [...label, ...inline], width, level))) {
      branches.push({ line: [...label, ...inline] });
    } else {
      const name = `${child.keys ? "Object" : "Array"}(${child.size})`;
      const line = [...label, { text: name, tone: "dim" } as const];
      branches.push(
        level >= MAX_DEPTH
          ? { line: withMore(line) }
          : { line, container: child, children: entryBranches(pen, child, { width, level: level + 1 }) },
      );
    }
  }
  return [...branches, ...restBranch(container, shown)];
}

const fits = (pen: Pen, line: Line, width: number, level: number): boolean =>
  pen.measure(line) <= Math.min(width, MAX_ROW) - connectorWidth(level);

const withMore = (line: Line): Line => [...line, { text: " …", tone: "dim" }];

function restBranch({ size, keys }: Container, shown: number): ValueBranch[] {
  const rest = size - shown;
  if (rest <= 0) return [];
  const noun = `more ${keys ? "key" : "item"}`;
  return [{ line: [{ text: `…+${countOf(rest, noun)}`, tone: "dim" }], isRest: true }];
}

/** At most `maxRows` rows of a tree: small entries stay whole, large ones share what is left. */
function prune(branches: ValueBranch[], container: Container, maxRows: number): ValueBranch[] {
  if (sum(branches.map(rowsOf)) <= maxRows) return branches;
  const entries = branches.filter(({ isRest }) => isRest !== true);
  const isWhole = entries.length === container.size;
  const shown = entries.slice(
    0,
    maxRows < entries.length + (isWhole ? 0 : 1) ? Math.max(0, maxRows - 1) : undefined,
  );
  const rest = restBranch(container, shown.length);
  let left = Math.max(0, maxRows - shown.length - rest.length);
  const bySize = shown.map((branch, index) => ({ index, need: rowsOf(branch) - 1 }));
  bySize.sort((one, other) => one.need - other.need);
  const kept = [...shown];
  bySize.forEach(({ index, need }, place) => {
    const share = Math.min(need, Math.floor(left / (bySize.length - place)));
    const { line, children, container: child } = shown[index] as ValueBranch;
    if (!children || !child || share === need) left -= need;
    else if (share < MIN_SHARE) kept[index] = { line: withMore(line) };
    else {
      const pruned = prune(children, child, share);
      left -= sum(pruned.map(rowsOf));
      kept[index] = { line, container: child, children: pruned };
    }
  });
  return [...kept, ...rest];
}

function labelOf(pen: Pen, { keys }: Container, index: number): Span[] {
  if (!keys) return [{ text: `[${index}] `, tone: "dim" }];
  return [...keySpans(pen, keys[index] ?? ""), { text: ": ", tone: "dim" }];
}

const keySpans = (pen: Pen, key: string): Span[] => [
  ...pen.cut([{ text: oneLine(pen.screen, key, "↵"), tone: "muted" }], MAX_KEY),
];

/** A container of few scalars on one line; undefined for any other. */
function inlineLine(pen: Pen, { size, keys, items }: Container): Line | undefined {
  if (size > MAX_INLINE || items.length < size || items.some((item) => containerOf(item))) return undefined;
  const [opening, closing] = keys ? ["{", "}"] : ["[", "]"];
  const line: Span[] = [{ text: opening as string, tone: "dim" }];
  for (let index = 0; index < size; index += 1) {
    if (index > 0) line.push({ text: ", ", tone: "dim" });
    if (keys) line.push(...keySpans(pen, keys[index] ?? ""), { text: ": ", tone: "dim" });
    line.push(scalarSpan(pen, items[index]));
  }
  line.push({ text: closing as string, tone: "dim" });
  return line;
}

function scalarSpan(pen: Pen, value: unknown): Span {
  if (typeof value === "string")
    return { text: `"${oneLine(pen.screen, value, "↵")}"`, tone: "syntaxString" };
  if (typeof value === "number") return { text: String(value), tone: "syntaxNumber" };
  if (typeof value === "boolean" || value === null) return { text: String(value), tone: "syntaxKeyword" };
  return { text: "…", tone: "dim" };
}

function containerOf(value: unknown): Container | undefined {
  if (!isFields(value)) return undefined;
  const items = listOf(value["items"]);
  const keys = Array.isArray(value["keys"]) ? textsOf(value["keys"]) : undefined;
  return { size: Math.max(countIn(value["size"]), items.length), keys, items };
}

const rowsOf = ({ children = [] }: Branch): number => 1 + sum(children.map(rowsOf));

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
