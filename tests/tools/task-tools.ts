/** The task tools as pi calls them, on tasks in a temp folder. Every structured result is held to the tool's own schema. */

import assert from "node:assert/strict";
import type { ToolDefinition } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import { Value } from "typebox/value";
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
  readonly #access: TaskAccess = {
    tasks: () => this.tasks,
    bounds: this.bounds,
    wasShown: () => undefined,
  };
  readonly list: ToolDefinition = createTaskListTool(Type, this.#access);
  readonly output: ToolDefinition = createTaskOutputTool(Type, this.#access);
  readonly stop: ToolDefinition = createTaskStopTool(Type, this.#access);

  async call(tool: ToolDefinition, params: object = {}): Promise<Answer> {
    assert.deepEqual(Value.Errors(tool.parameters, params), []);
    const result = (await tool.execute("call-1", params as never, undefined, undefined, {} as never)) as {
      content: { type: string; text: string }[];
      details: Record<string, unknown>;
      structuredContent?: Record<string, unknown>;
      isError?: boolean;
    };
    assert.deepEqual(
      result.content.map(({ type }) => type),
      ["text"],
    );
    const text = result.content[0]?.text ?? "";
    assert(Buffer.byteLength(JSON.stringify(result.details)) < 131_072);
    const { structuredContent: data } = result;
    if (data) {
      assert.deepEqual(Value.Errors(tool.outputSchema as never, data), []);
      // What is absent is left out, never null or undefined.
      assert.deepEqual(JSON.parse(JSON.stringify(data)), data);
      assert(!JSON.stringify(data).includes("null"));
      assert.deepEqual(unknownKeys(tool.outputSchema, data), []);
    }
    assert.equal(result.isError === true, data === undefined);
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
