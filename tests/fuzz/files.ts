/** Files that others write: records of tasks, settings, agents. Each case is a real file. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseFrontmatter } from "@earendil-works/pi-coding-agent";
import fc from "fast-check";
import * as typebox from "typebox";
import * as typeboxCompile from "typebox/compile";
import * as typeboxValue from "typebox/value";
import { LIMIT_RANGES, type PtcConfig } from "../../src/base/limits.ts";
import { readSettings } from "../../src/base/settings.ts";
import { agentNameProblem, readAgentFile } from "../../src/children/agent-file.ts";
import { noticeBatches } from "../../src/tasks/notice.ts";
import { isTerminal, TASK_STATUSES } from "../../src/tasks/record.ts";
import { endReader, readRecordFile, recordText } from "../../src/tasks/record-file.ts";
import { createRecordCheck } from "../../src/tasks/record-schema.ts";
import { endedRecord, recordOf } from "../tasks/task-kit.ts";
import { mangledJson, mangledText } from "./mangled.ts";
import { countOf, foundInputs, type FuzzTarget, hasControls, must, target } from "./target.ts";

const TYPEBOX = { typebox, typeboxCompile, typeboxValue };
const ID = "01KATQ5V9Z3N8Y6W2R4T7X1C0B";

/** A folder of its own for one target. */
function openFolder(): { folder: string; close: () => void } {
  const folder = mkdtempSync(join(tmpdir(), "ptc-fuzz-"));
  return { folder, close: () => rmSync(folder, { recursive: true, force: true }) };
}

export function taskFiles(): FuzzTarget {
  const { folder, close } = openFolder();
  const path = join(folder, `${ID}.json`);
  const check = createRecordCheck(TYPEBOX);
  const readEnd = endReader();
  const records = [
    recordOf({ id: ID }),
    endedRecord({ id: ID, outputPreview: "last words", errorMessage: "why", status: "failed" }),
    endedRecord({ id: ID, report: { summary: "s", findings: [], files_touched: ["a"] } as never }),
  ];
  const texts = fc.oneof(
    { weight: 3, arbitrary: mangledJson(...records).map((record) => JSON.stringify(record) ?? "") },
    { weight: 2, arbitrary: mangledText(...records.map(recordText)) },
  );
  const tries = (text: string): void => {
    writeFileSync(path, text);
    const end = readEnd(path);
    must(end === undefined || isTerminal(end), "only an end is told from the head");
    const file = readRecordFile(path, ID, check);
    if (file.kind !== "record") {
      must(file.kind === "unusable" && file.problem.includes(path), "a file that is no record is named");
      return;
    }
    const { record } = file;
    must(record.id === ID && TASK_STATUSES.includes(record.status), "a record is one of this task");
    const [batch] = noticeBatches([record], { outputPath: () => "/out", batchId: () => "b", nowMs: 1 });
    must(countOf(batch?.text ?? "", "</bg-task-notification>") <= 1, "no record closes our tag");
    must(countOf(batch?.text ?? "", "</bg-task-notifications>") === 1, "no record closes our batch");
    must(Buffer.byteLength(batch?.text ?? "") <= 102_400, "a notice is within its bounds");
  };
  return target("task files", texts, tries, { close });
}

const SETTINGS = {
  surfaceMode: "full",
  defaultMode: "both",
  engine: "quickjs",
  isolation: "process",
  notify: "steer",
  limits: { timeoutMs: 1_000, dispatchConcurrency: 2, maxChildTurns: 3, spares: 0 },
  retention: { outputDays: 3, taskDays: 4 },
  printWaitMs: 0,
  widget: false,
  childArgs: ["--thinking", "low"],
  readOnlyTools: ["web"],
  command: "/bin/pi",
};
/** Limits of which 0 means none. */
const ZERO_IS_NONE: readonly string[] = ["maxChildTurns", "maxChildCostUsd"];

export function settingsFiles(): FuzzTarget {
  const { folder, close } = openFolder();
  const [user, project] = [join(folder, "user"), join(folder, "project")];
  for (const one of [user, project]) mkdirSync(one);
  const text = fc.oneof(
    { weight: 3, arbitrary: mangledJson(SETTINGS).map((value) => JSON.stringify(value) ?? "") },
    { weight: 2, arbitrary: mangledText(JSON.stringify(SETTINGS, undefined, 2)) },
  );
  const tries = (texts: { user: string; project: string }): void => {
    writeFileSync(join(user, "ptc.json"), texts.user);
    writeFileSync(join(project, "ptc.json"), texts.project);
    const own = readSettings(user, TYPEBOX).settings;
    const { settings, problems } = readSettings(user, TYPEBOX, project);
    for (const problem of problems) must(!hasControls(problem), "a problem can be shown");
    for (const [key, { min, max }] of Object.entries(LIMIT_RANGES) as [
      keyof PtcConfig,
      { min: number; max: number },
    ][]) {
      const value = settings.limits[key];
      must(value >= min && value <= max, `${key} is in its range`);
      const isTighter = value <= own.limits[key] || (ZERO_IS_NONE.includes(key) && own.limits[key] === 0);
      must(isTighter, `a project does not raise ${key}`);
    }
    must(own.engine !== "quickjs" || settings.engine === "quickjs", "a project does not leave QuickJS");
    must(settings.command === own.command, "a project does not say what is run");
    must(settings.childArgs.join() === own.childArgs.join(), "a project does not add arguments");
    must(Object.keys(settings).length <= 20, "nothing unknown is taken over");
  };
  return target("ptc.json", fc.record({ user: text, project: text }), tries, {
    close,
    found: foundInputs("ptc.json"),
  });
}

const AGENTS = [
  "---\nname: scout\ndescription: looks around\nmodel: faux/one\nthinking: low\ntools: read, grep\nreadOnly: true\nmaxTurns: 3\nchildReport: no\n---\nLook.\n",
  "\ufeff---\r\nname: \"writer\"\r\ntools:\r\n  - write\r\n  - 'edit'\r\n---\r\nWrite.\r\n",
  "---\ntools: []\n---\nAnswer.\n",
  "No frontmatter.\n",
];

export function agentFiles(): FuzzTarget {
  const { folder, close } = openFolder();
  const path = join(folder, "agent.md");
  const tries = (text: string): void => {
    writeFileSync(path, text);
    const reading = readAgentFile(path, "user", parseFrontmatter);
    must(reading !== undefined, "a file is read");
    if (!reading.ok) {
      must(reading.path === path && !hasControls(reading.problem), "a broken file is named");
      return;
    }
    const { agent } = reading;
    must(agentNameProblem(agent.name) === undefined, "a listed agent has a name");
    must(!hasControls(agent.description) && !agent.description.includes("\n"), "a description is one line");
    must(agent.tools === undefined || agent.tools.every((tool) => /\S/.test(tool)), "tools are names");
    must(agent.maxTurns === undefined || agent.maxTurns > 0, "a bound is a number");
  };
  return target("agent files", mangledText(...AGENTS), tries, { close });
}
