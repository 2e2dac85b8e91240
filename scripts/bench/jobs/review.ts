/** Eight files, each reviewed by a child of its own. */

import { SUBAGENT } from "../../../src/base/tool-names.ts";
import { type Job, run, script } from "./job.ts";
import { sourceFiles } from "./source-files.ts";

const files = sourceFiles({ count: 8, seed: 5 });
const paths = Object.keys(files);
const taskFor = (path: string): string => `Review ${path}: name its worst weakness`;

/** What a reviewer says: a report, and a page of prose. */
function answer(task: string): string {
  const path = /Review (\S+):/.exec(task)?.[1] ?? "nothing";
  const report = {
    summary: `${path} does not check its input`,
    findings: [{ what: `${path}: the amount may be negative`, evidence: `${path}:5` }],
    files_touched: [],
  };
  const prose = `I read ${path} from top to bottom. `.repeat(40);
  return `${prose}\n\n\`\`\`json\n${JSON.stringify(report)}\n\`\`\`\n`;
}

export const review: Job = {
  name: "8-way review",
  files,
  task: "Have every file in src reviewed on its own and tell me the findings.",
  ways: {
    programs: [
      run(`const paths = ${JSON.stringify(paths)};
const all = await Promise.all(paths.map((path) => tools["pi.dispatch"]({ task: \`Review \${path}: name its worst weakness\` })));
return all.map(({ status, report }) => report?.findings ?? status);`),
    ],
    codemode: [
      script(`const paths = ${JSON.stringify(paths)};
const all = await Promise.all(paths.map((path) => tools.${SUBAGENT}({ task: \`Review \${path}: name its worst weakness\` })));
return all.map(({ status, report }) => report?.findings ?? status);`),
    ],
    direct: [paths.map((path) => ({ name: SUBAGENT, args: { task: taskFor(path) } }))],
  },
  facts: paths.map((path) => `${path}: the amount may be negative`),
  child: answer,
};
