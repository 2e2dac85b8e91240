/** Plays rounds in one throwaway home with one model on loopback, two at a time. */

import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ModelServer, startModelServer } from "../../fixtures/model-server.ts";
import { PiHome } from "../../pi/real-pi.ts";
import type { CrashPlan } from "./plan.ts";
import { playRound, type RoundPlace, type RoundReport } from "./round.ts";
import { CrashScript } from "./script.ts";

const AT_A_TIME = 2;

export class CrashLab {
  readonly #home: PiHome;
  readonly #server: ModelServer;
  readonly #script: CrashScript;

  private constructor(home: PiHome, server: ModelServer, script: CrashScript) {
    this.#home = home;
    this.#server = server;
    this.#script = script;
  }

  static async open(): Promise<CrashLab> {
    const script = new CrashScript();
    const server = await startModelServer((turn) => script.answer(turn));
    const home = await PiHome.open();
    const { root, agentDir } = home.home;
    server.configure(agentDir);
    for (const tasks of [1, 2, 3]) {
      const copy = agentDirOf(root, tasks);
      cpSync(agentDir, copy, { recursive: true });
      writeFileSync(join(copy, "ptc.json"), JSON.stringify({ limits: { dispatchConcurrency: tasks } }));
    }
    return new CrashLab(home, server, script);
  }

  /** Plays all plans; no new round begins once `signal` has fired. */
  async play(
    plans: readonly CrashPlan[],
    { onReport, signal }: { onReport?: (report: RoundReport) => void; signal?: AbortSignal } = {},
  ): Promise<RoundReport[]> {
    const { home } = this.#home;
    const place: RoundPlace = {
      home,
      agentDir: (tasks) => agentDirOf(home.root, tasks),
      crashMark: ({ round }) => join(home.root, `crashed-${round}`),
    };
    const waiting = [...plans];
    const reports: RoundReport[] = [];
    const work = async (): Promise<void> => {
      for (let plan = waiting.shift(); plan; plan = waiting.shift()) {
        if (signal?.aborted) break;
        this.#script.begin(plan, place.crashMark(plan));
        const report = await playRound(plan, place);
        reports.push(report);
        onReport?.(report);
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
    return reports;
  }

  async close(): Promise<void> {
    await this.#server.close();
    this.#home.close();
  }
}

/** Beside the first, since its settings name the package by a relative path. */
const agentDirOf = (root: string, tasks: number): string => join(root, `agent-${tasks}`);

/** Counts by row: rounds, crashes of a resumed pi among them, and failures. */
export function countRows(
  reports: readonly RoundReport[],
): { row: string; rounds: number; again: number; failed: number }[] {
  const rows = Map.groupBy(reports, ({ plan }) => plan.row);
  return [...rows].map(([row, group]) => ({
    row,
    rounds: group.length,
    again: group.filter(({ crashes }) => crashes > 1).length,
    failed: group.filter(({ problems }) => problems.length > 0).length,
  }));
}
