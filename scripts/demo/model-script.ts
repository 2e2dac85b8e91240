/**
 * The model of the demo. `DEMO_ROAD` says how it does the job: `program` writes one program, `direct` makes the
 * same calls one by one, as a model without programs would, `children` hands two halves to children, whose model is
 * this one, too, and `script` does so from a script of pi's codemode. Each request of the session itself is
 * appended to `DEMO_REQUESTS` with its size and the tools it offers.
 */

import { appendFileSync } from "node:fs";
import type { FauxScript } from "../../tests/fixtures/faux-model.ts";

export const LIST_COMMAND = "find src/base src/worker -name '*.ts' | sort";
const READS_A_TURN = 10;
/** Fields of messages that pi keeps in the session and no provider gets. */
export const KEPT_BY_PI = new Set([
  "details",
  "nestedCalls",
  "structuredContent",
  "usage",
  "timestamp",
  "durationMs",
]);

export const PROGRAM = `const list = await tools.bash({ command: "${LIST_COMMAND}" });
const paths: string[] = list.content[0].text.trim().split("\\n");

const files = await Promise.all(paths.map(async (path) => {
  const { content } = await tools.read({ path });
  const text: string = content[0].text;
  return { path, lines: text.trimEnd().split("\\n").length, exports: text.match(/^export /gm)?.length ?? 0 };
}));

console.log(\`read \${files.length} files\`);
files.sort((a, b) => b.lines - a.lines);
return {
  files: files.length,
  lines: files.reduce((sum, file) => sum + file.lines, 0),
  exports: files.reduce((sum, file) => sum + file.exports, 0),
  longest: files.slice(0, 5),
};`;

/** The program that hands out two tasks and adds up what comes back. */
export const FAN_OUT = `const parts = await Promise.all(["scripts", "tests"].map((folder) =>
  tools["pi.dispatch"]({ task: \`Survey the folder \${folder}: how many TypeScript files, how many lines?\` }),
));
return parts.map(({ status, report, usage }) => ({ status, finding: report?.findings[0], turns: usage?.turns }));`;

/** The same from pi's codemode, which gets data where a model would get text. */
export const SCRIPT = `const parts = await Promise.all(["scripts", "tests"].map((folder) =>
  tools.ptc_subagent({ task: \`Survey the folder \${folder}: how many TypeScript files, how many lines?\` }),
));
return JSON.stringify(parts.map(({ status, report, usage }) => ({ status, finding: report?.findings[0].what, turns: usage?.turns })));`;

const script: FauxScript = (turn) => {
  const { context, results, call } = turn;
  const { messages } = context;
  if (process.env["PI_PTC_DEPTH"]) return surveyFolder(turn);
  // System prompt and tool declarations are messages too, so this is all that a provider would be sent.
  const sent = JSON.stringify(messages, (key, value: unknown) => (KEPT_BY_PI.has(key) ? undefined : value));
  const request: DemoRequest = { chars: sent.length, tools: turn.tools };
  appendFileSync(process.env["DEMO_REQUESTS"] as string, `${JSON.stringify(request)}\n`);
  switch (process.env["DEMO_ROAD"]) {
    case "direct":
      return callDirectly(results, call);
    case "children":
      return fanOut(results, call);
    case "script":
      return results.length > 0 ? "Done: both children have reported." : call("codemode", { code: SCRIPT });
    default:
      return writeProgram(results, call);
  }
};

export default script;

/** One request that the session's model received. */
export interface DemoRequest {
  chars: number;
  tools: string[];
}

type Turn = Parameters<FauxScript>[0];

function writeProgram(results: Turn["results"], call: Turn["call"]): ReturnType<FauxScript> {
  if (results.length > 0) return "Done: the program's result holds the five longest files.";
  return call("ptc_run_code", { code: PROGRAM, description: "Survey the sources and rank them by length" });
}

function fanOut(results: Turn["results"], call: Turn["call"]): ReturnType<FauxScript> {
  if (results.length > 0) return "Done: both children have reported.";
  return call("ptc_run_code", { code: FAN_OUT, description: "Let two children survey a folder each" });
}

/** The model of a child: one command, then its report, then a word of prose. */
function surveyFolder({ context, results, call }: Turn): ReturnType<FauxScript> {
  const task = JSON.stringify(context.messages.findLast(({ role }) => role === "user")?.content);
  const folder = /folder (\w+)/.exec(task)?.[1] ?? ".";
  if (results.length === 0)
    return call("bash", {
      command: `find ${folder} -name '*.ts' | xargs cat | wc -l; find ${folder} -name '*.ts' | wc -l`,
    });
  const first = results[0]?.content[0];
  const [lines, files] = first?.type === "text" ? first.text.trim().split(/\s+/) : [];
  if (results.length > 1) return `${folder} has ${files} files.`;
  const finding = { what: `${folder}: ${files} files, ${lines} lines`, evidence: "counted with find and wc" };
  return call("ptc_child_report", {
    summary: `I counted ${folder}.`,
    findings: [finding],
    files_touched: [],
  });
}

function callDirectly(results: Turn["results"], call: Turn["call"]): ReturnType<FauxScript> {
  if (results.length === 0) return call("bash", { command: LIST_COMMAND });
  const listed = results[0]?.content[0];
  const paths = listed?.type === "text" ? listed.text.trim().split("\n") : [];
  const next = paths.slice(results.length - 1, results.length - 1 + READS_A_TURN);
  if (next.length === 0) return "Done: the five longest files can be named from what was read.";
  return next.map((path) => call("read", { path }));
}
