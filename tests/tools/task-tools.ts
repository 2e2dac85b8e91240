/** The task tools as pi calls them, on tasks in a temp folder. Every structured result is held to the tool's own schema. */

import type { ToolDefinition } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { expect } from "vitest";
import type { SessionTasks } from "../../src/tasks/session-tasks.ts";
import type { TaskAccess } from "../../src/tools/task-access.ts";
import { createTaskListTool } from "../../src/tools/task-list.ts";
import { createTaskOutputTool } from "../../src/tools/task-output.ts";
import { createTaskStopTool } from "../../src/tools/task-stop.ts";
import { TaskPlace } from "../tasks/task-kit.ts";

/** What a tool answered. */
export interface Answer {
  text: string;
  isError: boolean;
  data: Record<string, unknown> | undefined;
  details: Record<string, unknown>;
}

export class TaskTools {
  readonly place = new TaskPlace();
  readonly tasks: SessionTasks = this.place.tasks();
  bounds = { maxBytes: 51_200, maxLines: 2_000 };
  readonly #access: TaskAccess = { tasks: () => this.tasks, bounds: this.bounds };
  readonly list: ToolDefinition = createTaskListTool(Type, this.#access);
  readonly output: ToolDefinition = createTaskOutputTool(Type, this.#access);
  readonly stop: ToolDefinition = createTaskStopTool(Type, this.#access);

  async call(tool: ToolDefinition, params: object = {}): Promise<Answer> {
    const result = await tool.execute("call-1", params as never, undefined, undefined, {} as never);
    return expectSound(tool, params, result as unknown as RawResult);
  }

  async remove(): Promise<void> {
    await this.place.remove();
  }
}

interface RawResult {
  content: { type: string; text: string }[];
  details: Record<string, unknown>;
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

function expectSound(tool: ToolDefinition, params: object, result: RawResult): Answer {
  const { content, details, structuredContent: data, isError } = result;
  expect(Value.Errors(tool.parameters, params)).toEqual([]);
  expect(content).toEqual([{ type: "text", text: expect.any(String) }]);
  expect(Buffer.byteLength(JSON.stringify(details))).toBeLessThan(131_072);
  expect(isError === true).toBe(data === undefined);
  if (data) {
    expect(Value.Errors(tool.outputSchema as never, data)).toEqual([]);
    expect(unknownKeys(tool.outputSchema, data)).toEqual([]);
    // What is absent is left out, never null or undefined.
    expect(Object.values(data)).not.toContain(null);
    expect(JSON.parse(JSON.stringify(data))).toStrictEqual(data);
  }
  return { text: content[0]?.text ?? "", isError: isError === true, data, details };
}

/** Keys that the schema does not name. */
function unknownKeys(schema: unknown, value: unknown): string[] {
  const { properties, items } = schema as { properties?: Record<string, unknown>; items?: unknown };
  if (Array.isArray(value)) return value.flatMap((item) => unknownKeys(items, item));
  if (!properties || typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, entry]) =>
    Object.hasOwn(properties, key) ? unknownKeys(properties[key], entry) : [key],
  );
}
