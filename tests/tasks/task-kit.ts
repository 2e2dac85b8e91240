/** What tests of tasks are made from: records, owners alive and dead, and children that play a script. */

import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as typebox from "typebox";
import * as typeboxCompile from "typebox/compile";
import * as typeboxValue from "typebox/value";
import { monotonicFactory } from "ulid";
import type { ChildPlan } from "../../src/children/start-child.ts";
import { RUN_MARKER } from "../../src/children/stop-tree.ts";
import type { TaskOwner, TaskRecord } from "../../src/tasks/record.ts";
import { createRecordCheck } from "../../src/tasks/record-schema.ts";
import { SessionTasks } from "../../src/tasks/session-tasks.ts";
import { sessionTasksFolder } from "../../src/tasks/task-paths.ts";
import { TaskStore } from "../../src/tasks/task-store.ts";
import type { ChildStep } from "../fixtures/scripted-child.ts";

const SCRIPTED = join(import.meta.dirname, "../fixtures/scripted-child.ts");

export const check = createRecordCheck({ typebox, typeboxCompile, typeboxValue });
export const newId = monotonicFactory();

/** Of no process: the id is this one's, the start another's. */
export const DEAD: TaskOwner = { id: "dead-owner", pid: process.pid, startedAt: "another start" };

let owners = 0;
/** A pi that died. Each is another one. */
export const deadOwner = (): TaskOwner => ({ ...DEAD, id: `dead-owner-${(owners += 1)}` });

export function recordOf(more: Partial<TaskRecord> = {}): TaskRecord {
  const now = Date.now();
  return {
    schema: 1,
    id: newId(),
    status: "running",
    label: "look around",
    agentName: "scout",
    depth: 1,
    createdAt: now,
    startedAt: now,
    transitionAt: now,
    outputBytes: 0,
    spawnSource: { kind: "model", callerId: "call-1" },
    owner: DEAD,
    ...more,
  };
}

/** A task that ended well, by default just now. */
export function endedRecord(more: Partial<TaskRecord> = {}): TaskRecord {
  const record = recordOf({ status: "succeeded", ...more });
  return { finishedAt: record.transitionAt, durationMs: 0, reportChannel: "none", ...record };
}

export const assistant = (text: string, more: object = {}): ChildStep => ({
  out: `${JSON.stringify({
    type: "message_end",
    message: {
      role: "assistant",
      content: [{ type: "text", text }],
      stopReason: "stop",
      usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, totalTokens: 15, cost: { total: 0.25 } },
      ...more,
    },
  })}\n`,
});

/** A child's last answer. */
export function answer(text: string): ChildStep {
  const { out } = assistant(text) as { out: string };
  return { out: `${out}${JSON.stringify({ type: "agent_settled", aborted: false })}\n` };
}

/** A session's folder below a temp folder, and what is opened in it. */
export class TaskPlace {
  readonly root: string;
  readonly folder: string;
  readonly #open: SessionTasks[] = [];
  disposed = 0;

  constructor(root: string = mkdtempSync(join(tmpdir(), "ptc-tasks-"))) {
    this.root = root;
    this.folder = sessionTasksFolder(this.root, "session-1");
  }

  at(...names: string[]): string {
    return join(this.folder, ...names);
  }

  store(): TaskStore {
    return new TaskStore({ folder: this.folder, check });
  }

  /** Names in the session's folder, but for what shows that pis live. */
  files(): string[] {
    return readdirSync(this.folder).filter((name) => !name.startsWith(".beat-"));
  }

  /** A pi that opens the session. */
  tasks(folder: string = this.folder): SessionTasks {
    const tasks = new SessionTasks({ folder, check });
    this.#open.push(tasks);
    return tasks;
  }

  /** Writes a record as another pi would. */
  write<Content extends { id: string }>(record: Content, folder: string = this.folder): void {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, `${record.id}.json`), JSON.stringify(record));
  }

  writeNotice(id: string): void {
    mkdirSync(this.at("outbox"), { recursive: true, mode: 0o700 });
    writeFileSync(this.at("outbox", `${id}.json`), JSON.stringify({ schema: 1, id }));
  }

  writeOutput(id: string, text: string | Uint8Array): void {
    mkdirSync(this.at(id), { recursive: true, mode: 0o700 });
    writeFileSync(this.at(id, "output.log"), text);
  }

  read(id: string): TaskRecord {
    return JSON.parse(readFileSync(this.at(`${id}.json`), "utf8")) as TaskRecord;
  }

  /** Until the returned function is called nothing can be read or written below the session's folder, whoever asks. */
  breakDisk(): () => void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    renameSync(this.folder, `${this.folder}-away`);
    writeFileSync(this.folder, "in the way");
    return () => {
      rmSync(this.folder);
      renameSync(`${this.folder}-away`, this.folder);
    };
  }

  /** Writes a script for a child, and gives its path. */
  script(steps: readonly ChildStep[], id: string = newId()): string {
    const path = join(this.root, `${id}.script.json`);
    writeFileSync(path, JSON.stringify(steps));
    return path;
  }

  /** A plan for a child that plays `steps`, or what stands in a file. */
  plan(steps: readonly ChildStep[] | string, id: string, more: Partial<ChildPlan> = {}): ChildPlan {
    const script = typeof steps === "string" ? steps : this.script(steps, id);
    return {
      command: process.execPath,
      args: [SCRIPTED],
      cwd: this.root,
      env: { ...(process.env as Record<string, string>), PTC_CHILD_SCRIPT: script, [RUN_MARKER]: id },
      task: "do it",
      agentName: "scout",
      marker: id,
      reportExpected: false,
      readOnly: false,
      timeoutMs: 20_000,
      maxTurns: 0,
      maxCostUsd: 0,
      warnings: [],
      dispose: () => (this.disposed += 1),
      ...more,
    };
  }

  /** Starts a task in `tasks`. */
  async start(
    tasks: SessionTasks,
    steps: readonly ChildStep[] | string,
    more: Partial<ChildPlan> = {},
  ): Promise<TaskRecord> {
    const taskId = tasks.newId();
    const start = {
      taskId,
      label: "look around",
      depth: 1,
      source: { kind: "model", callerId: "call-1" },
      parentTaskId: undefined,
    } as const;
    const started = await tasks.start(this.plan(steps, taskId, more), start);
    if ("refusal" in started) throw new Error(started.refusal);
    return started.record;
  }

  /** Ends every pi that was opened, and removes the folder. */
  async remove(): Promise<void> {
    await Promise.all(this.#open.map((tasks) => tasks.close()));
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** Resolves with the record of the next task that ends. */
export function nextEnd(tasks: SessionTasks): Promise<TaskRecord> {
  const before = tasks.onEnd;
  return new Promise((resolve) => {
    tasks.onEnd = (record) => {
      tasks.onEnd = before;
      before(record);
      resolve(record);
    };
  });
}
