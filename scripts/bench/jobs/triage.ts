/** The five most frequent errors in three logs of 6000 lines, with the first time of each. */

import { type Job, randomNumbers, read, run, script } from "./job.ts";

const KINDS = [
  ["payment gateway timeout", 0.5],
  ["stale cache entry for order", 0.25],
  ["cannot parse address of user", 0.12],
  ["mail queue is full", 0.08],
  ["rate table is missing for", 0.05],
] as const;
const LINES = 6_000;
const ERRORS = 0.03;
const LOGS = ["web", "worker", "mailer"].map((name) => `logs/${name}.log`);

function log(seed: number): string {
  const random = randomNumbers(seed);
  const lines = Array.from({ length: LINES }, (_, line) => {
    const time = new Date(Date.UTC(2026, 0, 1) + line * 1_000).toISOString();
    if (random() > ERRORS)
      return `${time} INFO request ${Math.floor(random() * 1e6)} done in ${Math.floor(random() * 90)} ms`;
    let left = random();
    const [kind] = KINDS.find(([, share]) => (left -= share) <= 0) ?? KINDS[0];
    return `${time} ERROR ${kind} ${Math.floor(random() * 1e6)}`;
  });
  return `${lines.join("\n")}\n`;
}

const files = Object.fromEntries(LOGS.map((path, index) => [path, log(index + 3)]));
const COUNT = `const seen = {};
for (const line of lines) {
  const [time, level, ...words] = line.split(" ");
  if (level !== "ERROR") continue;
  const kind = words.slice(0, -1).join(" ");
  const entry = (seen[kind] ??= { count: 0, first: time });
  entry.count += 1;
  if (time < entry.first) entry.first = time;
}
return Object.entries(seen).sort(([, a], [, b]) => b.count - a.count).slice(0, 5);`;
const GREP = "grep -h ERROR logs/*.log";

export const triage: Job = {
  name: "log triage",
  files,
  task: "What are the five most frequent errors in logs/, how often and since when?",
  ways: {
    programs: [
      run(`const { readFile } = await import("node:fs/promises");
const texts = await Promise.all(${JSON.stringify(LOGS)}.map((path) => readFile(path, "utf8")));
const lines = texts.join("").split("\\n");
${COUNT}`),
    ],
    codemode: [
      script(`const lines = (await tools.bash({ command: "${GREP}" })).output.split("\\n");\n${COUNT}`),
    ],
    direct: [
      LOGS.map((path) => read(path, { limit: 40 })),
      LOGS.map((path) => ({ name: "bash", args: { command: `grep ERROR ${path}` } })),
    ],
  },
  facts: KINDS.map(([kind]) => kind),
};
