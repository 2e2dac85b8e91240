/**
 * `demo`: one job over this repository's files in a real pi, done twice by a scripted model, once with a
 * program and once with direct calls, and what each cost in context; then a fan-out of two real children, from a
 * program and from a script of pi's codemode, which are the two surfaces.
 * `demo --tui` opens the first in pi's screen.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "./build.ts";
import { type DemoRequest, FAN_OUT, PROGRAM, SCRIPT } from "./demo/model-script.ts";
import { createSandboxHome, PI_CLI, type SandboxHome } from "./sandbox-home.ts";

const ROOT = dirname(import.meta.dirname);
/** The usual estimate of a token, as pi makes it. */
const CHARS_PER_TOKEN = 4;
const SHOWN_CALLS = 8;

interface DemoEvent {
  type: string;
  toolName?: string;
  parentToolCallId?: string;
  args?: Record<string, unknown>;
  result?: { content?: { type: string; text?: string }[] };
  isError?: boolean;
}

interface Session {
  events: DemoEvent[];
  requests: number;
  /** Names of the tools that the first request offers. */
  offered: string[];
  /** Estimated tokens of all requests together. */
  tokens: number;
  ms: number;
}

type Road = "program" | "direct" | "children" | "script";

function piArguments(extra: readonly string[]): string[] {
  const model = join(ROOT, "tests/fixtures/faux-model.ts");
  return [PI_CLI, "-e", ROOT, "-e", model, "--model", "faux/faux-1", "--no-session", ...extra];
}

function environment(home: SandboxHome, road: Road): NodeJS.ProcessEnv {
  const requests = join(home.root, `requests-${road}.txt`);
  writeFileSync(requests, "");
  return {
    ...home.env,
    FAUX_SCRIPT: join(ROOT, "scripts/demo/model-script.ts"),
    DEMO_ROAD: road,
    DEMO_REQUESTS: requests,
  };
}

async function play(home: SandboxHome, road: Road): Promise<Session> {
  const env = environment(home, road);
  const surface = road === "script" ? ["--tools", "+codemode"] : [];
  const startedAt = performance.now();
  const pi = spawn(
    process.execPath,
    piArguments([...surface, "--mode", "json", "-p", "Survey the sources"]),
    {
      cwd: ROOT,
      env,
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const chunks: Buffer[] = [];
  pi.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  const [code] = (await once(pi, "close")) as [number];
  if (code !== 0) throw new Error(`pi ended with code ${code}`);
  const lines = Buffer.concat(chunks).toString("utf8").split("\n").filter(Boolean);
  const requests = readFileSync(env["DEMO_REQUESTS"] as string, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as DemoRequest);
  return {
    events: lines.map((line) => JSON.parse(line) as DemoEvent),
    requests: requests.length,
    offered: requests[0]?.tools ?? [],
    tokens: Math.ceil(requests.reduce((sum, { chars }) => sum + chars, 0) / CHARS_PER_TOKEN),
    ms: performance.now() - startedAt,
  };
}

function showProgramRun({ events }: Session): void {
  console.log(`\nThe program the model wrote:\n\n${indent(PROGRAM)}`);
  const calls = events.filter(
    (event) => event.type === "tool_execution_end" && event.parentToolCallId !== undefined,
  );
  const starts = events.filter(
    (event) => event.type === "tool_execution_start" && event.parentToolCallId !== undefined,
  );
  console.log(`\nThe calls it made (${calls.length}), each through pi's own checks:\n`);
  for (const start of starts.slice(0, SHOWN_CALLS))
    console.log(`  ${start.toolName} ${JSON.stringify(start.args)}`);
  if (starts.length > SHOWN_CALLS) console.log(`  ... and ${starts.length - SHOWN_CALLS} more`);
  console.log(`\nAll that went back to the model:\n\n${indent(resultText(events))}`);
}

function resultText(events: readonly DemoEvent[], tool = "ptc_run_code"): string {
  const end = events.find((event) => event.type === "tool_execution_end" && event.toolName === tool);
  if (!end || end.isError)
    throw new Error(`the program failed: ${JSON.stringify(end?.result).slice(0, 2_000)}`);
  return (end.result?.content ?? []).flatMap(({ text }) => text ?? []).join("\n");
}

function showChildren({ events, ms }: Session): void {
  console.log(`\nA program that starts two children, each a pi of its own:\n\n${indent(FAN_OUT)}`);
  console.log(`\nWhat it returned after ${(ms / 1000).toFixed(1)} s:\n\n${indent(resultText(events))}`);
}

function showSurfaces(full: Session, script: Session): void {
  console.log(
    `\nThe same on the other surface: named with --tools +codemode, pi's own codemode orchestrates:\n`,
  );
  console.log(`${indent(SCRIPT)}\n\nWhat it returned:\n\n${indent(resultText(script.events, "codemode"))}`);
  console.log("\nOffered to the model on each surface:\n");
  console.log(`  full       ${full.offered.join(" ")}\n  subagents  ${script.offered.join(" ")}`);
}

function showCosts(program: Session, direct: Session): void {
  const row = (name: string, { requests, tokens, ms }: Session): string =>
    `  ${name.padEnd(14)}${String(requests).padStart(10)}${String(tokens).padStart(18)}${(ms / 1000).toFixed(1).padStart(10)}`;
  console.log(`\nThe same job, counted from the requests the model received:\n`);
  console.log(
    `  ${"".padEnd(14)}${"requests".padStart(10)}${"context tokens".padStart(18)}${"seconds".padStart(10)}`,
  );
  console.log(row("one program", program));
  console.log(row("direct calls", direct));
  console.log(
    "\nContext tokens are those of all requests together; a provider that caches prompts charges less for what is sent again.",
  );
}

const indent = (text: string): string => text.replace(/^/gm, "  ");

async function main(): Promise<void> {
  await build();
  const home = createSandboxHome();
  try {
    if (process.argv.includes("--tui")) {
      const pi = spawn(process.execPath, piArguments(["Survey the sources"]), {
        cwd: ROOT,
        env: environment(home, "program"),
        stdio: "inherit",
      });
      await once(pi, "close");
      return;
    }
    console.log(
      "A real pi, a scripted model, and the job: survey this repository's sources and name the longest files.",
    );
    const program = await play(home, "program");
    showProgramRun(program);
    showCosts(program, await play(home, "direct"));
    showChildren(await play(home, "children"));
    showSurfaces(program, await play(home, "script"));
  } finally {
    home.remove();
  }
}

await main();
