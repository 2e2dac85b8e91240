/** A stand-in for pi around the built extension: as much of it as one dispatch asks for. */

import { EventEmitter } from "node:events";
import { join } from "node:path";
import * as codingAgent from "@earendil-works/pi-coding-agent";
import type { ExtensionAPI, ToolDefinition } from "@earendil-works/pi-coding-agent";
import * as tui from "@earendil-works/pi-tui";
import * as typebox from "typebox";
import * as typeboxValue from "typebox/value";
import type * as Built from "../../src/extension/activate.ts";

const BUILT = join(import.meta.dirname, "../../dist/extension.js");
const BUILTIN = ["read", "bash", "edit", "write"];

/** A session that can dispatch. */
export interface FakeSession {
  subagent: { tool: ToolDefinition; ctx: unknown };
  close(): Promise<void>;
}

/** Loads the extension and starts a session of it in this process's folder. */
export async function fakeSession(): Promise<FakeSession> {
  const { activate } = (await import(BUILT)) as typeof Built;
  const events = new EventEmitter();
  const handlers: [name: string, handler: (event: object, ctx: object) => unknown][] = [];
  const tools: ToolDefinition[] = [];
  const names = (): string[] => [...BUILTIN, ...tools.map(({ name }) => name)];
  const pi = {
    events,
    on: (name: string, handler: (typeof handlers)[number][1]) => handlers.push([name, handler]),
    registerTool: (tool: ToolDefinition) => tools.push(tool),
    getActiveTools: names,
    getAllTools: () => names().map((name) => ({ name })),
    getSettings: () => ({}),
  };
  // What else the extension registers is of no use to a dispatch.
  const api = new Proxy(pi, { get: (known, name) => Reflect.get(known, name) ?? (() => undefined) });
  activate({ codingAgent, tui, typebox, typeboxValue }, api as unknown as ExtensionAPI);
  const tool = tools.find(({ name }) => name === "ptc_subagent");
  if (!tool) throw new Error("the extension registered no ptc_subagent");
  const model = { provider: "loop", id: "m1" };
  const ctx = {
    cwd: process.cwd(),
    hasUI: false,
    isProjectTrusted: () => false,
    model,
    modelRegistry: { getAvailable: () => [model] },
    thinkingLevel: "off",
    sessionManager: codingAgent.SessionManager.inMemory(process.cwd()),
    tools: names().map((name) => ({ name })),
  };
  const emit = async (name: string): Promise<void> => {
    for (const [event, handler] of handlers) if (event === name) await handler({ reason: "startup" }, ctx);
  };
  await emit("session_start");
  return { subagent: { tool, ctx }, close: () => emit("session_shutdown") };
}
