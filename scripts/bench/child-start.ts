/** What the start of a child is made of: Node, pi's bundle, pi's own start, extensions, the request, the exit. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { PI_CLI } from "../sandbox-home.ts";
import type { PiHome } from "../../tests/pi/real-pi.ts";
import { median, note } from "./figures.ts";

const ROUNDS = 11;
/** Of pi's own timings, where it names them. */
const LISTED_MS = 2;

/** Milliseconds since the spawn. */
interface Timeline {
  session: number;
  request: number;
  settled: number;
  closed: number;
  /** pi's own timings by group and label. */
  timings: Map<string, number>;
}

/** Prints each part as a note. `onRequest` sets who hears of a request to the model. */
export async function measureChildStart(
  home: PiHome,
  onRequest: (listener: () => void) => void,
): Promise<void> {
  const [node, version]: [number[], number[]] = [[], []];
  const lines: Timeline[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    node.push(await runMs(home, ["-e", "0"]));
    version.push(await runMs(home, [PI_CLI, "--version"]));
    lines.push(await runChild(home, onRequest));
  }
  const part = (name: string, read: (line: Timeline) => number): void =>
    note(`children/start: ${name}`, median(lines.map(read)), "ms");
  part("all of it", (line) => line.closed);
  note("children/start: Node alone", median(node), "ms");
  note("children/start: Node and the import of pi's bundle (--version)", median(version), "ms");
  part("until the session is there", (line) => line.session);
  for (const label of listedTimings(lines)) part(`  of it ${label}`, (line) => line.timings.get(label) ?? 0);
  part("from the session to the first request", (line) => line.request - line.session);
  part("from the request to the end of the run", (line) => line.settled - line.request);
  part("exit", (line) => line.closed - line.settled);
}

function listedTimings(lines: readonly Timeline[]): string[] {
  const labels = [...new Set(lines.flatMap(({ timings }) => [...timings.keys()]))];
  return labels.filter((label) => median(lines.map(({ timings }) => timings.get(label) ?? 0)) >= LISTED_MS);
}

async function runMs({ home }: PiHome, args: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { cwd: home.cwd, env: home.env, stdio: "ignore" });
  await once(child, "close");
  return performance.now() - startedAt;
}

async function runChild({ home }: PiHome, onRequest: (listener: () => void) => void): Promise<Timeline> {
  const args = [PI_CLI, "--model", "loop/m1", "--no-session", "--mode", "json", "-p"];
  const startedAt = performance.now();
  const since = (): number => performance.now() - startedAt;
  const line: Timeline = { session: 0, request: 0, settled: 0, closed: 0, timings: new Map() };
  onRequest(() => (line.request = since()));
  const env = { ...home.env, PI_TIMING: "1" };
  const child = spawn(process.execPath, args, { cwd: home.cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  let [output, errors] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    if (output === "") line.session = since();
    output += chunk;
    if (line.settled === 0 && output.includes('{"type":"agent_settled"')) line.settled = since();
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (errors += chunk));
  child.stdin.end("Task: say done");
  await once(child, "close");
  line.closed = since();
  if (line.settled === 0) throw new Error(`the child gave no answer: ${errors}`);
  line.timings = timingsIn(errors);
  return line;
}

/** Lines `  <label>: <n>ms` below headings `--- Startup Timings: <group> ---`. */
function timingsIn(text: string): Map<string, number> {
  const found = new Map<string, number>();
  let group = "";
  for (const line of text.split("\n")) {
    group = /^--- Startup Timings: (.*) ---$/.exec(line)?.[1] ?? group;
    const [, label, ms] = /^ {2}(.+): (\d+)ms$/.exec(line) ?? [];
    if (label !== undefined) found.set(`${group}: ${label.replace(/^.*\//, "")}`, Number(ms));
  }
  return found;
}
