/** What one session left on disk and in the list of processes, read without the code under test. */

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** One file of a task. Fields of a record are read as they are. */
export interface TaskFile {
  id: string;
  /** Undefined for a file that is no JSON. */
  record: Record<string, unknown> | undefined;
  output: string;
}

/** An item of a notice in the session's branch. */
export interface NoticeItem {
  taskId: string;
  status: string;
  /** A later answer came without an error. */
  isTold: boolean;
}

/** A session at one moment. */
export interface Evidence {
  tasks: TaskFile[];
  outbox: string[];
  /** Names in the folder of tasks that are no task's. */
  strangers: string[];
  notices: NoticeItem[];
  /** Ids of tasks whose handle or start stands in the branch. */
  started: string[];
  /** What each message of the branch is: its role, or `notice`. */
  messages: string[];
}

interface Entry {
  type: string;
  id: string;
  parentId: string | null;
  customType?: string;
  content?: unknown;
  data?: { taskId?: string };
  message?: { role: string; stopReason?: string; content?: unknown };
}

/** Reads what lies below the folder of one session. */
export function readEvidence(sessionDir: string): Evidence {
  const branch = readBranch(sessionFileIn(sessionDir));
  const folder = tasksFolderIn(sessionDir);
  const names = folder === undefined ? [] : readdirSync(folder);
  const ids = names.flatMap((name) => /^([0-9A-Z]{26})\.json$/.exec(name)?.[1] ?? []);
  return {
    tasks: ids.map((id) => readTask(folder as string, id)),
    outbox: folder !== undefined && names.includes("outbox") ? readdirSync(join(folder, "outbox")) : [],
    strangers: names.filter((name) => name !== "outbox" && !/^[0-9A-Z]{26}(?:\.json)?$/.test(name)),
    notices: noticesIn(branch),
    started: startedIn(branch),
    messages: branch.flatMap((entry) => (isNotice(entry) ? ["notice"] : (entry.message?.role ?? []))),
  };
}

export function sessionFileIn(sessionDir: string): string {
  const name = readdirSync(sessionDir).find((file) => file.endsWith(".jsonl"));
  if (name === undefined) throw new Error(`there is no session in ${sessionDir}`);
  return join(sessionDir, name);
}

/** Living processes whose environment holds `text`. */
export function processesWith(text: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && readQuietly(`/proc/${name}/environ`).includes(text))
    .filter((pid) => !/^\d+ \(.*\) [ZX] /s.test(readQuietly(`/proc/${pid}/stat`)))
    .map(Number);
}

/** How a process was started, cut to what tells it apart. */
export function commandOf(pid: number): string {
  return `${pid} ${readQuietly(`/proc/${pid}/cmdline`).replaceAll("\0", " ").slice(-100)}`;
}

function tasksFolderIn(sessionDir: string): string | undefined {
  const root = join(sessionDir, "tasks");
  const [name] = existsSync(root) ? readdirSync(root) : [];
  return name === undefined ? undefined : join(root, name);
}

function readTask(folder: string, id: string): TaskFile {
  const text = readQuietly(join(folder, `${id}.json`));
  const path = join(folder, id, "output.log");
  const output = existsSync(path) && statSync(path).isFile() ? readFileSync(path, "utf8") : "";
  try {
    return { id, output, record: JSON.parse(text) as Record<string, unknown> };
  } catch {
    return { id, output, record: undefined };
  }
}

/** Entries from the root to the newest. A line that a crash cut is no entry. */
function readBranch(path: string): Entry[] {
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  const entries = new Map(
    lines.map((line) => JSON.parse(line) as Entry).map((entry) => [entry.id, entry] as const),
  );
  const branch: Entry[] = [];
  for (let entry = [...entries.values()].at(-1); entry; entry = entries.get(entry.parentId ?? ""))
    branch.unshift(entry);
  return branch;
}

const isNotice = (entry: Entry): boolean =>
  entry.type === "custom_message" && entry.customType === "ptc-task-notice";

function noticesIn(branch: readonly Entry[]): NoticeItem[] {
  return branch.flatMap((entry, index) => {
    if (!isNotice(entry)) return [];
    const isTold = branch.slice(index + 1).some(isGoodAnswer);
    const items = textOf(entry.content).match(/<bg-task-notification [^>]*>/g) ?? [];
    return items.map((item) => ({
      taskId: /\btask-id="([^"]*)"/.exec(item)?.[1] ?? "",
      status: /\bstatus="([^"]*)"/.exec(item)?.[1] ?? "",
      isTold,
    }));
  });
}

function isGoodAnswer({ message }: Entry): boolean {
  return (
    message?.role === "assistant" && !["error", "aborted", undefined].includes(message.stopReason as never)
  );
}

function startedIn(branch: readonly Entry[]): string[] {
  const ids = branch.flatMap(({ customType, data, message }) => {
    if (customType === "ptc-task-start") return data?.taskId ?? [];
    if (message?.role !== "toolResult") return [];
    return /Started background task ([0-9A-Z]{26})/.exec(textOf(message.content))?.[1] ?? [];
  });
  return [...new Set(ids)];
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => (part as { text?: string }).text ?? "").join("\n");
}

function readQuietly(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    // Gone, or not ours.
    return "";
  }
}
