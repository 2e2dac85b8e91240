/** Declarations of the tools that only programs can call, for the description of `ptc_run_code`. */

import { declareTool, type ListedTool, RESULT_TYPE, type TypeWriter } from "./tool-listing.ts";

const CHARS_PER_TOKEN = 4;
const OPEN = "declare const tools: {";
const CLOSE = "};";
const INDENT = "  ";
/** Room for the line that counts what is not listed. */
const MORE_CHARS = 120;

interface Entry {
  tool: ListedTool;
  text: string;
}

interface Group {
  /** Line that introduces a namespace; empty for tools without one. */
  heading: string;
  entries: Entry[];
}

/**
 * TypeScript declarations of `tools` in at most `budgetTokens` estimated tokens. In each round every
 * namespace places its cheapest tool that is left, so that a large one does not push out the others. What
 * does not fit is counted, and found with `searchTools`. Empty without tools or room.
 */
export function renderDeclarations(
  tools: readonly ListedTool[],
  budgetTokens: number,
  names: readonly string[] = [],
  typeOf?: TypeWriter,
): string {
  const budget = budgetTokens * CHARS_PER_TOKEN;
  const fixed = RESULT_TYPE.length + OPEN.length + CLOSE.length + 3 + MORE_CHARS;
  if (tools.length === 0 || budget < MORE_CHARS) return "";
  const groups = groupTools(tools, (tool) => declareTool(tool, names, typeOf));
  const shown = select(groups, budget - fixed);
  const more = tools.length - shown.size;
  const note =
    more > 0
      ? `// ${more} more ${more === 1 ? "tool" : "tools"}: searchTools(query), describeTool(name)`
      : "";
  if (shown.size === 0) return note;
  const body = groups.flatMap(({ heading, entries }) => {
    const texts = entries.filter((entry) => shown.has(entry)).map((entry) => entry.text);
    return texts.length > 0 && heading ? [heading, ...texts] : texts;
  });
  return [RESULT_TYPE, OPEN, ...body, CLOSE, ...(note ? [note] : [])].join("\n");
}

/** Tools without a namespace first, then the namespaces by name. */
function groupTools(tools: readonly ListedTool[], declare: (tool: ListedTool) => string): Group[] {
  const groups = new Map<string, Group>();
  for (const tool of tools) {
    const key = tool.namespace ? `ns:${tool.namespace.name}` : "";
    const group = groups.get(key) ?? { heading: headingOf(tool), entries: [] };
    groups.set(key, group);
    group.entries.push({ tool, text: INDENT + declare(tool).replaceAll("\n", `\n${INDENT}`) });
  }
  return [...groups].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, group]) => group);
}

function headingOf({ namespace }: ListedTool): string {
  if (!namespace) return "";
  const description = namespace.description?.trim().split(/\s+/).join(" ");
  return `${INDENT}// ${namespace.name}${description ? `: ${description}` : ""}`;
}

function select(groups: readonly Group[], room: number): Set<Entry> {
  const shown = new Set<Entry>();
  let left = room;
  let queues = groups.map((group) => ({
    headingChars: group.heading ? group.heading.length + 1 : 0,
    entries: group.entries.toSorted((a, b) => a.text.length - b.text.length),
  }));
  while (queues.length > 0) {
    queues = queues.filter((queue) => {
      const next = queue.entries.shift();
      const cost = next ? next.text.length + 1 + queue.headingChars : Infinity;
      if (!next || cost > left) return false;
      left -= cost;
      queue.headingChars = 0;
      shown.add(next);
      return true;
    });
  }
  return shown;
}
