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
    expect(Value.Errors(tool.parameters, params)).toEqual([]);
    const result = (await tool.execute("call-1", params as never, undefined, undefined, {} as never)) as {
      content: { type: string; text: string }[];
      details: Record<string, unknown>;
      structuredContent?: Record<string, unknown>;
      isError?: boolean;
    };
    expect(result.content).toEqual([{ type: "text", text: expect.any(String) }]);
    const text = result.content[0]?.text ?? "";
    expect(Buffer.byteLength(JSON.stringify(result.details))).toBeLessThan(131_072);
    const { structuredContent: data } = result;
    if (data) {
      expect(Value.Errors(tool.outputSchema as never, data)).toEqual([]);
      // What is absent is left out, never null or undefined.
      expect(JSON.parse(JSON.stringify(data))).toEqual(data);
      expect(JSON.stringify(data)).not.toContain("null");
      expect(unknownKeys(tool.outputSchema, data)).toEqual([]);
    }
    expect(result.isError === true).toBe(data === undefined);
    return { text, isError: result.isError === true, data, details: result.details };
  }

  async remove(): Promise<void> {
    await this.place.remove();
  }
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
