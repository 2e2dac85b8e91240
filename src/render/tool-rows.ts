/** What pi asks for to draw our calls, results and notices. Nothing here runs anything but the clock of running rows. */

import type { MessageRenderer, Theme, ToolDefinition } from "@earendil-works/pi-coding-agent";
import type { ResultState } from "./foreign-row.ts";
import { drawNotice } from "./notice-row.ts";
import type { Pen } from "./pen.ts";
import { drawCall, drawProgram, programTitle } from "./program-row.ts";
import type { Pulse } from "./pulse.ts";
import { fieldsOf, textOf } from "./read-fields.ts";
import { Row } from "./row.ts";
import { oneLine, type Palette, type Screen } from "./screen.ts";
import { SHIMMER_MS } from "./shimmer.ts";
import { drawSubagent, subagentTitle } from "./subagent-row.ts";
import { drawTasks } from "./task-rows.ts";

/** The two hooks of a tool's definition. */
export type RowHooks = Required<Pick<ToolDefinition, "renderCall" | "renderResult">>;

/** What rows need beside their details. */
export interface RowSurroundings {
  screen: Screen;
  pulse: Pulse;
  /** No run of the model goes on; undefined while nobody can say. */
  isIdle: () => boolean | undefined;
}

type CallContext = Parameters<RowHooks["renderCall"]>[2];
type DrawResult = (pen: Pen, details: unknown, state: ResultState, width: number) => string[];

export class ToolRows {
  readonly #around: RowSurroundings;

  constructor(around: RowSurroundings) {
    this.#around = around;
  }

  /** The call with this id began to run; returns its end. */
  begin(toolCallId: string): () => void {
    return this.#around.pulse.begin(toolCallId);
  }

  program(label: string): RowHooks {
    return this.#hooks({ label, title: programTitle, draw: drawProgram });
  }

  subagent(label: string): RowHooks {
    return this.#hooks({ label, title: subagentTitle, draw: drawSubagent });
  }

  task(label: string): RowHooks {
    return this.#hooks({
      label,
      title: taskTitle,
      draw: drawTasks,
    });
  }

  /** For messages that tell of ended tasks. */
  readonly notice: MessageRenderer = (message, { expanded, outputPad }, theme) =>
    new Row(this.#around.screen, theme).show([message], (pen, width) => {
      const pad = width > 2 * outputPad + 1 ? outputPad : 0;
      const blank = " ".repeat(pad);
      return ["", ...drawNotice(pen, message, expanded, width - 2 * pad).map((line) => blank + line)];
    });

  #hooks(kind: {
    label: string;
    title: (screen: Screen, args: unknown) => string;
    draw: DrawResult;
  }): RowHooks {
    return {
      renderCall: (args, theme, context) => {
        const { screen } = this.#around;
        const title = kind.title(screen, args);
        const runningAt = this.#clock(context);
        const state = { label: kind.label, runningAt, isInterrupted: this.#isInterrupted(context) };
        const step = runningAt === undefined ? -1 : Math.floor(runningAt / SHIMMER_MS);
        return rowOf(screen, theme, context.lastComponent).show(
          [title, step, state.isInterrupted],
          (pen, width) => drawCall(pen, title, state, width),
        );
      },
      renderResult: ({ content, details }, { expanded, isPartial }, theme, context) => {
        const { isError } = context;
        const state: ResultState = { isExpanded: expanded, isPartial, isError, content };
        return rowOf(this.#around.screen, theme, context.lastComponent).show(
          [details, content, expanded, isPartial, isError],
          (pen, width) => kind.draw(pen, details, state, width),
        );
      },
    };
  }

  /** The clock of a call that runs, which from now on redraws its row. */
  #clock({ toolCallId, isPartial, invalidate }: CallContext): number | undefined {
    const { pulse } = this.#around;
    if (!isPartial || !pulse.isRunning(toolCallId)) {
      pulse.unwatch(toolCallId);
      return undefined;
    }
    pulse.watch(toolCallId, invalidate);
    return pulse.now();
  }

  /** A call is first drawn while its message arrives; one first drawn while nothing runs comes from an earlier pi. */
  #isInterrupted({ state, isPartial, executionStarted, argsComplete }: CallContext): boolean {
    const known = state as { beganIdle?: boolean | undefined };
    known.beganIdle ??= this.#around.isIdle();
    return isPartial && !executionStarted && !argsComplete && known.beganIdle === true;
  }
}

function rowOf(screen: Screen, palette: Palette | Theme, last: unknown): Row {
  return last instanceof Row && last.palette === palette ? last : new Row(screen, palette);
}

function taskTitle(screen: Screen, args: unknown): string {
  const { taskId, reason, status } = fieldsOf(args);
  const wanted = Array.isArray(status) ? status.map(textOf).join(", ") : "";
  return [textOf(taskId), textOf(reason), wanted]
    .filter((part) => part !== "")
    .map((part) => oneLine(screen, part))
    .join("  ");
}
