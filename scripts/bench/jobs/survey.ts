/** Which of 40 modules export a function without a comment? */

import { bash, inTurns, type Job, read, run, script } from "./job.ts";
import { sourceFiles } from "./source-files.ts";

const BARE = [3, 11, 17, 26, 38];
const files = sourceFiles({ count: 40, seed: 7, bare: BARE });
const paths = Object.keys(files);
const LIST = "ls src/*.ts";
const FIND = `for (const [index, line] of lines.entries())
      if (/^export async function (\\w+)/.test(line) && !lines[index - 1].startsWith("/**")) bare.push(path + ": " + line.split("(")[0]);`;

export const survey: Job = {
  name: "survey 40 files",
  files,
  task: "Which modules in src export a function without a comment above it? Name the functions.",
  ways: {
    programs: [
      run(`const { content } = await tools.bash({ command: "${LIST}" });
const bare = [];
await Promise.all(content[0].text.trim().split("\\n").map(async (path) => {
  const lines = (await tools.read({ path })).content[0].text.split("\\n");
  ${FIND}
}));
return bare.sort();`),
    ],
    codemode: [
      script(`const { output } = await tools.bash({ command: "${LIST}" });
const bare = [];
await Promise.all(output.trim().split("\\n").map(async (path) => {
  const lines = (await tools.read({ path })).split("\\n");
  ${FIND}
}));
return bare.sort();`),
    ],
    direct: [
      [bash(LIST)],
      ...inTurns(
        paths.map((path) => read(path)),
        10,
      ),
    ],
  },
  facts: BARE.map((file) => paths[file] as string),
};
