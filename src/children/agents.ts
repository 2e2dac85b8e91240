/** Finds agents in the user's and the project's folder. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { errorText } from "../base/error-text.ts";
import { nearestName } from "../base/nearest-name.ts";
import {
  type Agent,
  agentNameProblem,
  type AgentReading,
  type ParseFrontmatter,
  readAgentFile,
} from "./agent-file.ts";
import type { AgentScopeKind } from "./dispatch.ts";

/** Where agents are looked up. */
export interface AgentSearch {
  scope: AgentScopeKind;
  /** `<agent dir>/agents`. */
  userDir: string;
  /** `<session's cwd>/.pi/agents`; undefined when pi does not trust the project. */
  projectDir: string | undefined;
  parse: ParseFrontmatter;
}

/** Agents by name, the user's first, and a sentence for each file that is none. */
export interface AgentsFound {
  agents: Agent[];
  problems: string[];
}

const MAX_FILES = 1_000;
const MAX_LISTED = 20;
const SHAPE =
  "An agent is a Markdown file: between two lines --- the keys name, description, model, thinking, tools, readOnly, maxTurns, childReport (all optional; the file name without .md is the name by default), then the prompt.";

/** Every agent in scope. Where a name is taken twice, the user's wins, then the first by file name. Never throws. */
export function findAgents(search: AgentSearch): AgentsFound {
  const { agents, problems } = look(search);
  return { agents, problems };
}

/** The agent called `name`, with a sentence for each other file of its name; or a refusal that says what there is. */
export function pickAgent(
  name: string,
  search: AgentSearch,
): { ok: true; agent: Agent; warnings: string[] } | { ok: false; refusal: string } {
  const wrong = agentNameProblem(name);
  const found = look(search);
  const agent = wrong ? undefined : found.agents.find((candidate) => candidate.name === name);
  if (agent) return { ok: true, agent, warnings: found.passedOver.get(name) ?? [] };
  const broken = found.broken.find((candidate) => candidate.name === name);
  const first = wrong
    ? `the agent name ${wrong}; ${OTHERWISE}`
    : broken
      ? `agent ${JSON.stringify(name)} cannot be used: ${broken.problem}. Mend ${broken.path}, or leave agent out`
      : `there is no agent ${JSON.stringify(name)} with agentScope "${search.scope}"${elsewhere(name, search) ?? nearest(name, found.agents)}`;
  const sentences = [
    first,
    `Known agents: ${listed(found.agents)}`,
    `Agents are looked up in ${search.userDir} (user) and ${search.projectDir ?? UNTRUSTED} (project)`,
    SHAPE,
  ];
  return { ok: false, refusal: sentences.join(". ") };
}

const OTHERWISE = "name a known agent, or leave agent out for pi's own prompt";

const UNTRUSTED = "the project's .pi/agents, which is not read because pi does not trust this project";

type Broken = Extract<AgentReading, { ok: false }>;

/** A file that is broken keeps its name from those after it: they may give a child more than its author meant. */
function look(
  search: AgentSearch,
): AgentsFound & { broken: Broken[]; /** By name. */ passedOver: Map<string, string[]> } {
  const problems: string[] = [];
  const firstOf = new Map<string, AgentReading>();
  const passedOver = new Map<string, string[]>();
  for (const reading of readings(search, problems)) {
    const name = reading.ok ? reading.agent.name : reading.name;
    const first = firstOf.get(name);
    const problem = problemOf(reading, first);
    if (problem !== undefined) problems.push(problem);
    if (!first) firstOf.set(name, reading);
    else if (problem !== undefined) passedOver.set(name, [...(passedOver.get(name) ?? []), problem]);
  }
  const kept = [...firstOf.values()];
  return {
    agents: kept.flatMap((reading) => (reading.ok ? [reading.agent] : [])),
    problems,
    broken: kept.filter((reading) => !reading.ok),
    passedOver,
  };
}

function problemOf(reading: AgentReading, first: AgentReading | undefined): string | undefined {
  if (!reading.ok) return told(reading);
  const { name, path } = reading.agent;
  if (!first) return undefined;
  const also = `${path}: the agent ${JSON.stringify(name)}`;
  return first.ok
    ? `${also} is also in ${first.agent.path}, which is used`
    : `${also} is not used while another file of this name cannot be (${told(first)})`;
}

const told = ({ path, problem }: Broken): string => `${path}: ${problem}`;

function readings({ scope, userDir, projectDir, parse }: AgentSearch, problems: string[]): AgentReading[] {
  const folders: [string | undefined, Agent["scope"]][] = [
    [scope === "project" ? undefined : userDir, "user"],
    [scope === "user" ? undefined : projectDir, "project"],
  ];
  return folders.flatMap(([folder, owner]) =>
    folder === undefined
      ? []
      : markdownFiles(folder, problems).flatMap(
          (name) => readAgentFile(join(folder, name), owner, parse) ?? [],
        ),
  );
}

/** Hidden files are left out: editors keep locks and drafts in them. */
function markdownFiles(folder: string, problems: string[]): string[] {
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => /^[^.].*\.md$/i.test(name));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT")
      problems.push(`${folder}: agents cannot be read from here (${code ?? errorText(error)})`);
    return [];
  }
  if (names.length > MAX_FILES)
    problems.push(
      `${folder}: ${names.length} agent files; only the first ${MAX_FILES} by name are looked at`,
    );
  return names.toSorted().slice(0, MAX_FILES);
}

/** Says where an agent of this name is that the scope leaves out, or may be. */
function elsewhere(name: string, search: AgentSearch): string | undefined {
  if (search.scope !== "user" && search.projectDir === undefined)
    return `, since pi does not trust this project; trust it (start pi with --approve), or ${search.scope === "both" ? "name a known agent" : 'pass agentScope "user"'}`;
  const other = search.scope === "user" ? "project" : search.scope === "project" ? "user" : undefined;
  if (other === undefined || !look({ ...search, scope: other }).agents.some((agent) => agent.name === name))
    return undefined;
  return `; it is one of the ${other}'s agents: pass agentScope "${other}" or "both"`;
}

function nearest(name: string, agents: readonly Agent[]): string {
  const near = nearestName(
    name,
    agents.map((agent) => agent.name),
  );
  return `${near === undefined ? "" : ` (did you mean ${JSON.stringify(near)}?)`}; ${OTHERWISE}`;
}

function listed(agents: readonly Agent[]): string {
  if (agents.length === 0) return "none";
  const names = agents.slice(0, MAX_LISTED).map((agent) => agent.name);
  const more = agents.length - names.length;
  return `${names.join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
}
