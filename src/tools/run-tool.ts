/** What the two program tools share: from checked parameters to pi's tool result. */

import { errorText } from "../base/error-text.ts";
import { OLDEST_PI } from "../base/pi-version.ts";
import { cutLine } from "../base/plain-text.ts";
import type { PtcSettings } from "../base/settings.ts";
import { failedOutcome } from "../program/finish-outcome.ts";
import type { Json, RunProgress } from "../program/outcome.ts";
import type { ProgramRunner, RunRequest } from "../program/request.ts";
import { createToolSearch, describeTool } from "../surface/find-tools.ts";
import { bindableTools, type CallableTool } from "../surface/loadout.ts";
import type { ListedTool } from "../surface/tool-listing.ts";
import { createBindings, type ToolCaller } from "./callables.ts";
import { ChildCosts } from "./child-costs.ts";
import { createDispatchBinding } from "./dispatch-binding.ts";
import { partialDetails, type ProgramTitle } from "./program-details.ts";
import { programResult, type ProgramToolResult } from "./program-result.ts";
import { feedProgress } from "./progress.ts";
import { keepChanges, readStore, type StoreAccess, type StoreEntry } from "./store.ts";

/** What the program tools need of the session they are registered in. */
export interface ProgramAccess {
  /** The session's runner, made when first asked for. */
  runner(): ProgramRunner;
  settings(): Readonly<PtcSettings>;
  /** pi's setting `images.blockImages`. */
  blockImages(): boolean;
  /** What pi knows about registered tools beyond their schemas. */
  toolInfos(): readonly {
    name: string;
    promptGuidelines?: readonly string[];
    namespace?: ListedTool["namespace"];
  }[];
  /** Appends a custom entry to the session. */
  appendStore(entry: StoreEntry): void;
}

/** One program as its tool was asked for it. */
export interface ProgramCall {
  title: ProgramTitle;
  request: Pick<RunRequest, "tool" | "source" | "args" | "phases" | "timeoutMs">;
  /** Why the parameters are refused, if they are. */
  problem?: string;
}

/** What pi hands to `execute` beside the parameters. */
export interface CallSurroundings {
  signal: AbortSignal | undefined;
  onUpdate: ((partial: ProgramToolResult) => void) | undefined;
  ctx: Partial<ToolCaller> & { cwd: string; sessionManager: { getBranch(): readonly { type: string }[] } };
}

/** Runs one program. Every failure is a returned result; nothing is thrown. */
export async function runProgramTool(
  call: ProgramCall,
  around: CallSurroundings,
  access: ProgramAccess,
): Promise<ProgramToolResult> {
  try {
    const problem = refusal(call, around);
    return problem === undefined ? await run(call, around, access) : refused(call, problem);
  } catch (thrown) {
    return refused(call, `the program was not run: ${errorText(thrown)}`);
  }
}

function refused(call: ProgramCall, message: string): ProgramToolResult {
  return programResult(
    call.title,
    failedOutcome({ kind: "refused", message, excerpt: "" }, performance.now()),
  );
}

function refusal(call: ProgramCall, around: CallSurroundings): string | undefined {
  if (typeof around.ctx?.executeTool !== "function") {
    return `this pi gives tools no ctx.executeTool, so programs cannot call tools; update pi to ${OLDEST_PI} or newer`;
  }
  return call.problem;
}

async function run(
  call: ProgramCall,
  around: CallSurroundings,
  access: ProgramAccess,
): Promise<ProgramToolResult> {
  const caller = around.ctx as ToolCaller;
  const { cwd, sessionManager } = around.ctx;
  const store: StoreAccess = {
    branch: () => sessionManager.getBranch(),
    append: (entry) => access.appendStore(entry),
  };
  const costs = new ChildCosts();
  const feed = feedProgress(
    (progress) => around.onUpdate?.(partialResult(call.title, progress, costs.total())),
    nothingYet,
  );
  try {
    const outcome = await access.runner().run({
      ...call.request,
      cwd,
      bindings: [...createBindings(caller), ...createDispatchBinding(caller, costs)],
      signal: around.signal,
      find: createFinder(caller, access),
      store: readStore(store.branch()),
      blockImages: access.blockImages(),
      onProgress: (progress) => feed.changed(progress),
    });
    const lateWarnings = outcome.ok ? keepChanges(outcome.store, store) : [];
    return programResult(call.title, outcome, lateWarnings, costs.total());
  } finally {
    feed.end();
  }
}

/** Answers `searchTools` and `describeTool` over the tools that are bound in this run. */
function createFinder(
  caller: ToolCaller,
  access: ProgramAccess,
): (what: "search" | "describe", query: string) => Json {
  let known: { listed: ListedTool[]; search: ReturnType<typeof createToolSearch> } | undefined;
  const bound = bindableTools(caller.tools);
  const learn = (): NonNullable<typeof known> => {
    const listed = listTools(bound, access.toolInfos());
    return { listed, search: createToolSearch(listed) };
  };
  return (what, query) => {
    known ??= learn();
    if (what === "describe") return describeTool(known.listed, query) ?? null;
    return known.search(query).map(({ name, description }) => ({ name, description }));
  };
}

function listTools(
  bound: readonly CallableTool[],
  infos: ReturnType<ProgramAccess["toolInfos"]>,
): ListedTool[] {
  const byName = new Map(infos.map((info) => [info.name, info]));
  return bound.map(({ name, description, parameters, outputSchema }) => {
    const info = byName.get(name);
    return {
      name,
      description,
      parameters,
      outputSchema,
      guidelines: info?.promptGuidelines,
      namespace: info?.namespace,
    };
  });
}

function nothingYet(elapsedMs: number): RunProgress {
  return {
    subCalls: [],
    calls: { total: 0, failed: 0 },
    phases: [],
    narrations: [],
    logs: [],
    elapsedMs,
  };
}

function partialResult(title: ProgramTitle, progress: RunProgress, childCost: number): ProgramToolResult {
  const last = progress.narrations.at(-1) ?? progress.logs.at(-1) ?? "";
  return {
    content: [{ type: "text", text: cutLine(last, 500) }],
    details: partialDetails(title, progress, childCost),
  };
}
