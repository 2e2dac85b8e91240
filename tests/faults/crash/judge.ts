/** What must hold of a session that was killed and resumed. Each function gives sentences about what does not. */

import type { Evidence, TaskFile } from "./evidence.ts";
import type { CrashPlan } from "./plan.ts";
import { outputOf } from "./script.ts";

const TERMINAL = ["succeeded", "failed", "canceled", "lost"];

/** The session in the end, against what each crash found on disk. */
export function judgeSession(plan: CrashPlan, crashes: readonly Evidence[], end: Evidence): string[] {
  return [
    ...end.tasks.flatMap((task) => [...recordProblems(task), ...outputProblems(plan, task)]),
    ...end.tasks.flatMap((task) => noticeProblems(task, end)),
    ...crashes.flatMap((crash) => changeProblems(crash, end)),
    ...end.started
      .filter((id) => !end.tasks.some((task) => task.id === id))
      .map((id) => `task ${id} was started, but has no record`),
    ...end.notices
      .filter(({ taskId }) => !end.tasks.some(({ id }) => id === taskId))
      .map(({ taskId }) => `a notice tells of ${taskId}, which has no record`),
    ...end.outbox.filter((name) => !isTemp(name)).map((name) => `${name} is still in the outbox`),
    ...end.strangers
      .filter((name) => !isTemp(name) && !isBeat(name))
      .map((name) => `${name} lies among the tasks`),
  ];
}

/** A pi that is killed cannot take its heartbeat away; retention deletes it. */
const isBeat = (name: string): boolean => /^\.beat-[0-9a-f-]{36}$/.test(name);
/** A write that was cut; retention deletes it. */
const isTemp = (name: string): boolean => /^\.\d+-\w+\.tmp$/.test(name);

function recordProblems({ id, record }: TaskFile): string[] {
  if (!record) return [`the record of ${id} is unreadable`];
  if (!TERMINAL.includes(record["status"] as string)) return [`task ${id} is stuck in ${record["status"]}`];
  return record["id"] === id ? [] : [`the record of ${id} is another's`];
}

function outputProblems(plan: CrashPlan, { id, record, output }: TaskFile): string[] {
  if (!record) return [];
  const key = /\b([CS])-\d+\.(\d+)\b/.exec(String(record["label"]));
  if (!key) return [`task ${id} has a label of its own: ${record["label"]}`];
  const whole = key[1] === "S" ? "the answer of a later child" : outputOf(plan, Number(key[2]));
  const { status, outputBytes, outputPreview } = record;
  const isCut = status === "lost";
  if (isCut ? !whole.startsWith(output) : output !== whole)
    return [`task ${id} is ${status} with the output ${JSON.stringify(output)}`];
  if (outputBytes !== output.length || (outputPreview ?? "") !== output)
    return [`the record of ${id} has ${outputBytes} bytes of output, its file ${output.length}`];
  return [];
}

function noticeProblems({ id, record }: TaskFile, { notices }: Evidence): string[] {
  const ours = notices.filter(({ taskId }) => taskId === id);
  if (ours.length !== 1) return [`${ours.length} notices tell of ${id} (${record?.["status"]})`];
  const [notice] = ours;
  if (notice?.status !== record?.["status"])
    return [`task ${id} is ${record?.["status"]}, but its notice says ${notice?.status}`];
  return notice?.isTold ? [] : [`the notice of ${id} was not answered`];
}

/** What had ended by a crash stays as it was; what had not is lost, and no notice goes away. */
function changeProblems(crash: Evidence, end: Evidence): string[] {
  const ends = new Map(end.tasks.map((task) => [task.id, task]));
  const gone = crash.notices.filter(
    ({ taskId, status }) => !end.notices.some((now) => now.taskId === taskId && now.status === status),
  );
  return [
    ...gone.map(({ taskId }) => `the notice of ${taskId} went away`),
    ...crash.tasks.flatMap(({ id, record, output }) => {
      if (!record) return [`the crash left an unreadable record of ${id}`];
      const now = ends.get(id);
      if (!now) return [`the record of ${id} went away`];
      if (!now.output.startsWith(output)) return [`the output of ${id} went away`];
      if (!TERMINAL.includes(record["status"] as string))
        return now.record?.["status"] === "lost" ? [] : [`task ${id} became ${now.record?.["status"]}`];
      return JSON.stringify(now.record) === JSON.stringify(record) ? [] : [`the end of ${id} was changed`];
    }),
  ];
}
