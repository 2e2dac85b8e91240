/** One round: a real pi starts background children, is killed, and its session is resumed, looked at and closed. */

import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { RpcPi } from "../../pi/rpc-pi.ts";
import type { PiEvent, PiStarter } from "../../pi/real-pi.ts";
import { commandOf, type Evidence, processesWith, readEvidence, sessionFileIn } from "./evidence.ts";
import { judgeSession } from "./judge.ts";
import type { CrashMoment, CrashPlan } from "./plan.ts";
import { STARTED } from "./script.ts";
import { CALLS_CHILDREN } from "../../pi/family.ts";

const CRASH_POINT = resolve(import.meta.dirname, "../../fixtures/crash-point.ts");
/** Liveness bound of everything that is waited for; nothing takes so long. */
const MAX_WAIT_MS = 60_000;

/** Where rounds are played. */
export interface RoundPlace {
  home: PiStarter["home"];
  /** A folder of settings in which `tasks` children may run at once. */
  agentDir: (tasks: number) => string;
  /** A file that is made when the parent of a round's children has died. */
  crashMark: (plan: CrashPlan) => string;
}

/** How a round went. */
export interface RoundReport {
  plan: CrashPlan;
  /** Sentences about what was wrong. */
  problems: string[];
  /** How many times a pi was killed where it should be. */
  crashes: number;
  /** Last step before the first crash. */
  lastStep: string;
}

/** Plays one round. Never rejects, and leaves no process behind. */
export async function playRound(plan: CrashPlan, place: RoundPlace): Promise<RoundReport> {
  const round = new Round(plan, place);
  try {
    await round.play();
  } catch (error) {
    round.problems.push(`the round broke off: ${(error as Error).stack}`);
  }
  round.endAll();
  const { problems, crashed, lastStep } = round;
  return { plan, problems, crashes: crashed.length, lastStep };
}

class Round {
  readonly problems: string[] = [];
  readonly crashed: Evidence[] = [];
  lastStep = "none";
  readonly #plan: CrashPlan;
  readonly #place: RoundPlace;
  readonly #sessionDir: string;
  readonly #tempDir: string;
  #life = 0;
  #pi: RpcPi | undefined;

  constructor(plan: CrashPlan, place: RoundPlace) {
    this.#plan = plan;
    this.#place = place;
    this.#sessionDir = join(place.home.root, "sessions", String(plan.round));
    this.#tempDir = join(place.home.root, "temp", String(plan.round));
    const compiled = join(place.home.root, "temp", "jiti");
    for (const folder of [this.#sessionDir, this.#tempDir, compiled]) mkdirSync(folder, { recursive: true });
    // What pi compiled for one round serves the next.
    symlinkSync(compiled, join(this.#tempDir, "jiti"));
  }

  async play(): Promise<void> {
    const { moment, again } = this.#plan;
    if (!(await this.#live(moment))) this.problems.push("the moment of the crash never came");
    if (again) {
      this.#life += 1;
      await this.#live(again);
    }
    this.#life += 1;
    await this.#live();
    this.problems.push(...judgeSession(this.#plan, this.crashed, readEvidence(this.#sessionDir)));
  }

  /** Ends whatever of this round still runs. */
  endAll(): void {
    this.#pi?.kill("SIGKILL");
    for (const pid of this.#processes()) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It has ended meanwhile.
      }
    }
  }

  /** One pi, from its start to its end. True when it was killed at `moment`. */
  async #live(moment?: CrashMoment): Promise<boolean> {
    const before = this.#life === 0 ? undefined : readEvidence(this.#sessionDir);
    const pi = new RpcPi(this.#starter(moment), { steps: [] });
    this.#pi = pi;
    const killed = pi.ended.then((end) => end === "SIGKILL");
    const abort = new AbortController();
    const bound = sleep(MAX_WAIT_MS, "stuck" as const, { signal: abort.signal });
    // Aborted when it is no longer needed.
    bound.catch(() => undefined);
    if (moment?.kind === "random") void killAt(pi, moment, this.#life).catch(() => undefined);
    // A pi that was killed answers nothing more.
    let isOver = false;
    void killed.then(() => (isOver = true));
    const done = this.#work(pi).catch((error: unknown) => {
      if (!isOver) throw error;
      return "ended" as const;
    });
    const end = await Promise.race([done, killed.then(() => "ended" as const), bound]);
    abort.abort();
    if (end === "stuck") throw new Error(`life ${this.#life} is stuck: ${this.#trace(pi)}`);
    if (end === "ended") await this.#crashed(pi, await killed, moment);
    else if (moment?.kind === "random") {
      // Whatever was to happen has happened: an idle pi may be killed as well.
      pi.kill("SIGKILL");
      await this.#crashed(pi, await killed, moment);
      return true;
    } else await this.#close(pi, before);
    return end === "ended";
  }

  async #crashed(pi: RpcPi, wasKilled: boolean, moment: CrashMoment | undefined): Promise<void> {
    if (!wasKilled || !moment) throw new Error(`life ${this.#life} ended by itself: ${this.#trace(pi)}`);
    writeFileSync(this.#place.crashMark(this.#plan), "");
    if (this.#life === 0) this.lastStep = String(stepsOf(pi).at(-1)?.["step"] ?? "none");
    this.crashed.push(readEvidence(this.#sessionDir));
  }

  /** Prompts, and waits until every task has ended and was told. */
  async #work(pi: RpcPi): Promise<"done"> {
    const { round } = this.#plan;
    const ends = await pi.prompt(`P-${round}.${this.#life}`);
    for (const { name, text } of ends)
      if (name === "ptc_subagent" && !text.includes(STARTED))
        this.problems.push(`a child could not be started in life ${this.#life}: ${text}`);
    await until(() => {
      const { tasks, notices, outbox } = readEvidence(this.#sessionDir);
      const told = new Set(notices.filter(({ isTold }) => isTold).map(({ taskId }) => taskId));
      const isOpen = outbox.some((name) => name.endsWith(".json") && !name.startsWith("."));
      return !isOpen && tasks.every(({ id }) => told.has(id));
    });
    return "done";
  }

  /** The last life, and one that outlived its crash, are closed as a person would. */
  async #close(pi: RpcPi, before: Evidence | undefined): Promise<void> {
    if (before) this.#judgeResumed(pi, before);
    for (const { id } of before?.tasks ?? []) {
      if (!(await until(() => processesWith(id).length === 0)))
        this.problems.push(`processes of task ${id} still run: ${processesWith(id).join(", ")}`);
    }
    const code = await pi.close();
    if (code !== 0) this.problems.push(`pi ended with ${code}: ${this.#trace(pi)}`);
    if (!(await until(() => this.#processes().length === 0)))
      this.problems.push("processes are left after a clean end");
    const left = readdirSync(this.#tempDir).filter((name) => name !== "jiti");
    if (left.length > 0) this.problems.push(`temp folders are left: ${left.join(", ")}`);
  }

  #judgeResumed(pi: RpcPi, before: Evidence): void {
    const ends = pi.events.filter(({ type }) => type === "tool_execution_end");
    const list = ends.find(({ toolName }) => toolName === "ptc_task_list")?.result;
    const count = list?.structuredContent?.["count"];
    if (count !== before.tasks.length)
      this.problems.push(`the list has ${String(count)} tasks of ${before.tasks.length}`);
    const text = JSON.stringify(list?.content ?? "");
    if (text.includes("left in place")) this.problems.push(`the list warns: ${text}`);
    const next = readEvidence(this.#sessionDir).messages[before.messages.length];
    if (next !== "user") this.problems.push(`a ${next} came before the first prompt of the resumed session`);
  }

  #starter(moment: CrashMoment | undefined): PiStarter {
    const { home, agentDir } = this.#place;
    const session = this.#life === 0 ? [] : ["--session", sessionFileIn(this.#sessionDir)];
    const launch = ["-e", CRASH_POINT, "--model", "loop/m1", "--session-dir", this.#sessionDir];
    const args = [...launch, ...CALLS_CHILDREN, ...session];
    const env = {
      PI_CODING_AGENT_DIR: agentDir(this.#plan.tasks),
      TMPDIR: this.#tempDir,
      ...(moment?.kind === "named" ? { CRASH_AT: `${moment.step}:${moment.occurrence}` } : {}),
    };
    return { home, command: () => ({ args, env }) };
  }

  /** Whatever of this round runs. */
  #processes(): number[] {
    return processesWith(`\0TMPDIR=${this.#tempDir}\0`);
  }

  #trace(pi: RpcPi): string {
    const events = pi.events
      .filter(({ type }) => type !== "message_update")
      .map(({ type, step, toolName }) => String(step ?? toolName ?? type));
    const tasks = readEvidence(this.#sessionDir).tasks.map(({ record, output }) => [
      record?.["status"],
      output,
    ]);
    const running = this.#processes().map(commandOf);
    return JSON.stringify({ events, tasks, running, stderr: pi.stderr.slice(-2_000) });
  }
}

const stepsOf = (pi: RpcPi): PiEvent[] => pi.events.filter(({ type }) => type === "task_step");

/** Kills it after so many steps; the first life's first step is the start of its first child. */
async function killAt(
  pi: RpcPi,
  { afterSteps, delayMs }: Extract<CrashMoment, { kind: "random" }>,
  life: number,
): Promise<void> {
  if (life === 0) await pi.next(({ type }) => type === "tool_execution_start");
  while (stepsOf(pi).length < afterSteps) await pi.next(({ type }) => type === "task_step");
  await sleep(delayMs);
  pi.kill("SIGKILL");
}

/** Resolves with true when the condition holds, with false when it does not in a long time. */
async function until(holds: () => boolean): Promise<boolean> {
  const deadline = performance.now() + MAX_WAIT_MS / 2;
  while (!holds()) {
    if (performance.now() > deadline) return false;
    await sleep(50);
  }
  return true;
}
