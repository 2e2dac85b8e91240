/** Descriptions of the program tools, from the contract and the declarations of one loadout. */

import type { PtcSettings } from "../base/settings.ts";
import { RUN_CODE, SUBAGENT, WORKFLOW } from "../base/tool-names.ts";
import { bindingContract } from "../surface/binding-contract.ts";
import { renderDeclarations } from "../surface/declarations.ts";
import { type AgentLine, agentLines, DISPATCH_USAGE } from "../surface/dispatch-text.ts";
import { bindableTools, type LoadoutView, undeclaredTools } from "../surface/loadout.ts";
import { type ListedTool, rememberTypes, type TypeWriter } from "../surface/tool-listing.ts";

/** First line of `ptc_run_code`'s description. */
const RUN_INTRO =
  "Run one program that calls this session's tools: to chain, repeat or batch calls, and to filter what they return.";

/** What a workflow has beyond a plain program. */
const WORKFLOW_GLOBALS = `Run a longer program in named phases. More globals than in ptc_run_code:
- \`args\`: the parameter \`args\`, or null.
- \`phase(title)\` starts a phase of meta.phases, \`log(text)\` narrates; people see both live.
- \`await parallel(thunks, {limit?})\` and \`await pipeline(items, ...stages)\`, where a stage gets (previous, item, index), settle everything and return an array in order; a failed item is null and listed in the array's \`errors\`: {index, message, toolName?}[].`;

/** Where `read` is left to programs, so are the files of skills. */
const SKILLS = "Skills: load a skill's file with `tools.read` inside a program before you follow it.";

/** Texts for a loadout. Hooks run several times a turn, so the last one is remembered. */
export interface ToolTexts {
  /** The text a tool is registered with. It is all there is where the tool is not active, and so has no loadout. */
  registered(name: typeof RUN_CODE | typeof WORKFLOW): string;
  describe(name: typeof RUN_CODE | typeof WORKFLOW, loadout: LoadoutView): string;
}

/** What decided the text that is remembered. */
interface Basis {
  settings: Readonly<PtcSettings>;
  tools: ListedTool[];
  names: string[];
  /** Sentences about children and skills. */
  more: string;
}

/** What the texts are made from beside a loadout. */
export interface TextSources {
  settings: () => Readonly<PtcSettings>;
  agents?: () => readonly AgentLine[];
  /** Active tools whose declarations the model is not shown. */
  unseen?: (loadout: LoadoutView) => ReadonlySet<string>;
  /** Can programs start children, as far as that is known without a loadout? */
  canDispatch?: () => boolean;
}

/** Makes the texts with the settings and agents at hand. */
export function createToolTexts({
  settings,
  agents = () => [],
  unseen = () => new Set(),
  canDispatch = () => true,
}: TextSources): ToolTexts {
  let last: (Basis & { text: string }) | undefined;
  const typeOf = rememberTypes();

  const basisOf = (loadout: LoadoutView): Basis => {
    const hidden = unseen(loadout);
    const names = bindableTools(loadout.callable).map((tool) => tool.name);
    const hasChildren = loadout.callable.some((tool) => tool.name === SUBAGENT);
    const dispatch = hasChildren ? [DISPATCH_USAGE, agentLines(agents())].filter(Boolean).join("\n") : "";
    const skills = hidden.has("read") && names.includes("read") ? SKILLS : "";
    const more = [dispatch, skills].filter(Boolean).join("\n\n");
    return { settings: settings(), tools: undeclaredTools(loadout, hidden), names, more };
  };

  const reference = (loadout: LoadoutView): string => {
    const basis = basisOf(loadout);
    if (!last || !isSame(last, basis)) last = { ...basis, text: textFor(basis, typeOf) };
    return last.text;
  };

  return {
    registered(name) {
      if (name === WORKFLOW) return workflowText(undefined);
      const { limits, engine } = settings();
      // Agents are left out: a text that changes with them would be registered anew each time.
      return runText(
        [bindingContract(limits, engine), canDispatch() && DISPATCH_USAGE].filter(Boolean).join("\n\n"),
      );
    },
    describe(name, loadout) {
      if (name === RUN_CODE) return runText(reference(loadout));
      const hasContract = loadout.declared.some((tool) => tool.name === RUN_CODE);
      return workflowText(hasContract ? undefined : reference(loadout));
    },
  };
}

function textFor({ settings, tools, names, more }: Basis, typeOf: TypeWriter): string {
  const declarations = renderDeclarations(tools, settings.declarationBudget, names, typeOf);
  const listing = declarations && `Tools only programs can call:\n\`\`\`ts\n${declarations}\n\`\`\``;
  return [bindingContract(settings.limits, settings.engine), more, listing].filter(Boolean).join("\n\n");
}

function isSame(before: Basis, after: Basis): boolean {
  return (
    before.settings === after.settings &&
    before.more === after.more &&
    before.names.join("\n") === after.names.join("\n") &&
    sameTools(before.tools, after.tools)
  );
}

const runText = (reference: string): string => `${RUN_INTRO}\n\n${reference}`;

/** The contract stands in `ptc_run_code`; only where that is not active does this text carry it. */
function workflowText(reference: string | undefined): string {
  return `${WORKFLOW_GLOBALS}\n\n${reference ?? "The script is written and calls tools as described for ptc_run_code."}`;
}

function sameTools(before: readonly ListedTool[], after: readonly ListedTool[]): boolean {
  return (
    before.length === after.length &&
    before.every((tool, index) => {
      const other = after[index];
      return (
        tool.name === other?.name &&
        tool.description === other.description &&
        tool.parameters === other.parameters &&
        tool.outputSchema === other.outputSchema &&
        tool.namespace?.name === other.namespace?.name &&
        tool.guidelines?.join("\n") === other.guidelines?.join("\n")
      );
    })
  );
}
