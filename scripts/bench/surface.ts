/**
 * What surfaces cost: tokens of tools and prompt in real first requests (four characters a token), and the time
 * our hooks add to a loadout of 200 tools.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Play, PiHome, program } from "../../tests/pi/real-pi.ts";
import { figure, median, note } from "./figures.ts";
import type { LoadoutTimes } from "./many-tools.ts";

const CHARS_PER_TOKEN = 4;
const CODEMODE = ["--tools", "+codemode"];
/** pi's setting under which codemode alone is declared. */
const ONLY = { codemode: { mode: "only" } };

/** A start, and what is said before the prompt. */
interface Case {
  ptc?: object;
  settings?: object;
  args?: string[];
  word?: string;
}

const CASES: Readonly<Record<string, Case>> = {
  stock: { ptc: { surfaceMode: "off" } },
  "codemode-on": { ptc: { surfaceMode: "off" }, args: CODEMODE },
  "codemode-only": { ptc: { surfaceMode: "off" }, args: CODEMODE, settings: ONLY },
  "subagents-codemode-on": { args: CODEMODE },
  "subagents-codemode-only": { args: CODEMODE, settings: ONLY },
  "full-both": {},
  "full-on": { word: "/ptc on" },
  "full-off": { word: "/ptc off" },
};

export async function benchSurface(): Promise<void> {
  const home = await PiHome.open();
  try {
    const tokens = new Map<string, number>();
    for (const [name, one] of Object.entries(CASES)) {
      const { total, tools, prompt } = await countTokens(home, one);
      tokens.set(name, total);
      note(`surface/${name}`, total, ` tokens (tools ${tools}, prompt ${prompt})`);
    }
    const of = (name: string): number => tokens.get(name) ?? Number.NaN;
    // With the same tools: there, too, scripts start children and look after tasks.
    figure("surface/full-on-by-codemode-only", of("full-on") / of("subagents-codemode-only"), 1.35, "x");
    note("surface/full-on-by-codemode-only-without-ours", of("full-on") / of("codemode-only"), "x");
    await measureHooks(home);
    await countPrefixes(home);
  } finally {
    home.close();
  }
}

async function countTokens(
  home: PiHome,
  one: Case,
): Promise<{ total: number; tools: number; prompt: number }> {
  const played = await playCase(home, one, { steps: [] });
  const [request] = played.requests;
  if (!request) throw new Error(`no request was made: ${played.stderr}`);
  const tools = Math.round(JSON.stringify(request.tools).length / CHARS_PER_TOKEN);
  const prompt = Math.round(request.systemPrompt.length / CHARS_PER_TOKEN);
  return { total: tools + prompt, tools, prompt };
}

async function playCase(home: PiHome, { ptc = {}, settings = {}, args = [], word }: Case, play: Play) {
  home.settings(ptc);
  const path = join(home.home.agentDir, "settings.json");
  const before = readFileSync(path, "utf8");
  writeFileSync(path, JSON.stringify({ ...(JSON.parse(before) as object), ...settings }));
  try {
    return await home.play({ ...play, args: [...args, ...(word ? [word] : []), ...(play.args ?? [])] });
  } finally {
    writeFileSync(path, before);
    home.settings({});
  }
}

/** The same start with our tools and without them; the difference is our hooks. */
async function measureHooks(home: PiHome): Promise<void> {
  const times: Record<string, Record<keyof LoadoutTimes, number>> = {};
  for (const [name, one] of Object.entries({ alone: CASES["stock"], both: {}, on: { word: "/ptc on" } })) {
    const path = join(home.home.root, "loadouts.json");
    const extensions = [join(import.meta.dirname, "many-tools.ts")];
    await playCase(home, one as Case, { steps: [], extensions, env: { BENCH_LOADOUTS: path } });
    const { same, changed } = JSON.parse(readFileSync(path, "utf8")) as LoadoutTimes;
    times[name] = { same: median(same), changed: median(changed) };
  }
  const { alone, ...ours } = times;
  for (const kind of ["same", "changed"] as const) {
    const floor = alone?.[kind] ?? Number.NaN;
    note(`surface/loadout-${kind}-alone-200-tools`, floor, "ms");
    for (const [name, ms] of Object.entries(ours))
      figure(`surface/loadout-${kind}-hooks-200-tools-${name}`, ms[kind] - floor, 2, "ms");
  }
}

/** Prompt and declarations of every request of one session. */
async function countPrefixes(home: PiHome): Promise<void> {
  const steps = [[program("return 1")], [program("return 2")]];
  const { requests } = await playCase(home, { word: "/ptc on" }, { steps });
  const prefixes = new Set(requests.map(({ systemPrompt, tools }) => JSON.stringify([systemPrompt, tools])));
  figure(`surface/prefixes-of-${requests.length}-requests`, prefixes.size, 1, "");
}
