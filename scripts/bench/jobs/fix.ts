/** Replace a call of an old function, whose arguments come in another order, in 12 of 30 files. */

import { bash, type Job, read, run, script } from "./job.ts";
import { sourceFiles } from "./source-files.ts";

const OLD = [0, 2, 5, 8, 9, 13, 14, 18, 21, 22, 27, 29];
const files = sourceFiles({ count: 30, seed: 11, old: OLD });
const paths = OLD.map((file) => Object.keys(files)[file] as string);
const GREP = "grep -ln 'oldLog(' src/*.ts";
const CALL = /oldLog\((.*), "info"\);/;
const callIn = (path: string): RegExpExecArray => CALL.exec(files[path] as string) as RegExpExecArray;
const EDIT = `const [old, what] = /oldLog\\((.*), "info"\\);/.exec(text);
  await tools.edit({ path, edits: [{ oldText: old, newText: "logger.info(" + what + ");" }] });`;

export const fix: Job = {
  name: "find and fix across 12 files",
  files,
  task: 'Replace every call oldLog(message, "info") in src by logger.info(message).',
  ways: {
    programs: [
      run(`const { content } = await tools.bash({ command: "${GREP}" });
const paths = content[0].text.trim().split("\\n");
await Promise.all(paths.map(async (path) => {
  const text = (await tools.read({ path })).content[0].text;
  ${EDIT}
}));
return paths;`),
    ],
    codemode: [
      script(`const { output } = await tools.bash({ command: "${GREP}" });
const paths = output.trim().split("\\n");
await Promise.all(paths.map(async (path) => {
  const text = await tools.read({ path });
  ${EDIT}
}));
return paths;`),
    ],
    direct: [
      [bash(GREP)],
      paths.map((path) => read(path)),
      paths.map((path) => {
        const [oldText, what] = callIn(path) as unknown as [string, string];
        return { name: "edit", args: { path, edits: [{ oldText, newText: `logger.info(${what});` }] } };
      }),
    ],
  },
  facts: paths,
  after: Object.fromEntries(
    paths.map((path) => [
      path,
      (text: string) => text === (files[path] as string).replace(CALL, "logger.info($1);"),
    ]),
  ),
};
