/**
 * `bench jobs`: five jobs done by programs, by a script of pi's codemode and by direct calls, and what the model was sent in
 * each: real requests of a real pi, four characters a token and 1200 tokens an image, as pi itself estimates.
 */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PiHome } from "../../tests/pi/real-pi.ts";
import { JOBS } from "./jobs/all.ts";
import type { Job, Way } from "./jobs/job.ts";
import type { SentRequest } from "./jobs/model-script.ts";

const CHARS_PER_TOKEN = 4;
const TOKENS_PER_IMAGE = 1_200;
/** codemode alone, and the package where the model's own calls are its own. */
const SETTINGS: Record<Way, { ptc: object; args: string[] }> = {
  programs: { ptc: {}, args: [] },
  codemode: { ptc: {}, args: ["--tools", "+codemode"] },
  direct: { ptc: { surfaceMode: "off" }, args: [] },
};
/** Children are ours in every way: codemode has none, and pi neither. */
const CHILDREN_DIRECT = { ptc: {}, args: ["--tools", "+codemode"] };

/** What one way came to. */
interface Account {
  turns: number;
  /** Of all requests of the session together. */
  tokens: number;
  /** Of the last one: what the session goes on with. */
  context: number;
  /** Of all requests of children together. */
  ofChildren: number;
}

export async function benchJobs(): Promise<void> {
  const home = await PiHome.open();
  try {
    console.log("| job | way | turns | tokens sent | context left | sent by children |");
    console.log("| --- | --- | ---: | ---: | ---: | ---: |");
    for (const job of JOBS)
      for (const way of ["programs", "codemode", "direct"] as const) {
        const { turns, tokens, context, ofChildren } = await account(home, job, way);
        console.log(`| ${job.name} | ${way} | ${turns} | ${tokens} | ${context} | ${ofChildren || ""} |`);
      }
  } finally {
    home.close();
  }
}

async function account(home: PiHome, job: Job, way: Way): Promise<Account> {
  layOut(home, job);
  const { ptc, args } = way === "direct" && job.child ? CHILDREN_DIRECT : SETTINGS[way];
  home.settings(job.child ? ptc : { ...ptc, ...(way === "codemode" ? { surfaceMode: "off" } : {}) });
  const played = await home.play({
    steps: job.ways[way],
    args,
    env: { FAUX_SCRIPT: join(import.meta.dirname, "jobs/model-script.ts"), BENCH_JOB: job.name },
  });
  const requests = played.requests as unknown as SentRequest[];
  const own = requests.filter(({ isChild }) => !isChild);
  const results = own.at(-1)?.results.join("\n") ?? "";
  for (const fact of job.facts)
    if (!results.includes(fact))
      throw new Error(`${job.name} by ${way} did not find ${fact}: ${results.slice(0, 500)}`);
  for (const [path, isRight] of Object.entries(job.after ?? {}))
    if (!isRight(readFileSync(join(home.home.cwd, path), "utf8")))
      throw new Error(`${job.name} by ${way} left ${path} wrong`);
  return {
    turns: own.length,
    tokens: sum(own),
    context: sum(own.slice(-1)),
    ofChildren: sum(requests.filter(({ isChild }) => isChild)),
  };
}

function layOut({ home }: PiHome, { files }: Job): void {
  rmSync(home.cwd, { recursive: true, force: true });
  mkdirSync(home.cwd);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(home.cwd, path)), { recursive: true });
    writeFileSync(join(home.cwd, path), content);
  }
}

const sum = (requests: readonly SentRequest[]): number =>
  requests.reduce(
    (total, { chars, images }) => total + Math.ceil(chars / CHARS_PER_TOKEN) + images * TOKENS_PER_IMAGE,
    0,
  );
