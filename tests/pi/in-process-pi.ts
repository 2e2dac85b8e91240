/**
 * pi's own session inside the test, with pi's built-in extensions, this package from its sources and a scripted
 * model: what a real start gives, at a hundredth of its time. Arguments are parsed by pi itself.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  type AssistantMessage,
  fauxAssistantMessage,
  fauxProvider,
  type FauxResponseStep,
  fauxText,
  fauxToolCall,
  getCurrentSystemPrompt,
  getCurrentTools,
} from "@earendil-works/pi-ai";
import * as codingAgent from "@earendil-works/pi-coding-agent";
import * as tui from "@earendil-works/pi-tui";
import * as typebox from "typebox";
import * as typeboxValue from "typebox/value";
import { vi } from "vitest";
import { PI_CLI } from "../../scripts/sandbox-home.ts";
import { activate } from "../../src/extension/activate.ts";

type Factory = codingAgent.ExtensionFactory;
type ExtensionMode = codingAgent.ExtensionContext["mode"];

/** How a session is started. */
export interface Start {
  /** pi's arguments. */
  args?: string[];
  mode?: ExtensionMode;
  /** `settings.json` and `ptc.json` of the user. */
  settings?: object;
  ptc?: unknown;
  /** Files of agents of the user, by name. */
  agents?: Record<string, string>;
  /** Files of the project, by path below its folder. */
  project?: Record<string, object | string>;
  /** Does pi trust the project? */
  trusted?: boolean;
  /** Other extensions, loaded before and after ours. */
  before?: Factory[];
  after?: Factory[];
  /** Answers of the model: calls, or text; `done` after the last. */
  steps?: ([name: string, args: object][] | string)[];
  /** Without this package. */
  without?: boolean;
  /** A session to go on with. */
  resume?: codingAgent.SessionManager;
}

/** One request as the model got it. */
export interface Request {
  names: string[];
  tools: { name: string; description: string; parameters: unknown }[];
  system: string;
  messages: { role: string; content: unknown; isError?: boolean; toolName?: string }[];
}

export class InProcessPi {
  readonly root: string;
  readonly agentDir: string;
  readonly cwd: string;
  readonly requests: Request[] = [];
  /** What extensions told the person, `type: text`. */
  readonly notices: string[] = [];
  readonly statuses: (string | undefined)[] = [];
  readonly stderr: string[] = [];
  /** How the person answers a question. */
  confirm: (title: string, message: string) => Promise<boolean> = async () => false;
  session!: codingAgent.AgentSession;
  sessionManager!: codingAgent.SessionManager;
  #pi: codingAgent.ExtensionAPI | undefined;

  private constructor() {
    this.root = mkdtempSync(join(tmpdir(), "ptc-session-"));
    this.agentDir = join(this.root, "agent");
    this.cwd = join(this.root, "project");
    for (const folder of [this.agentDir, this.cwd, join(this.root, "tmp")]) mkdirSync(folder);
  }

  static async start(start: Start = {}): Promise<InProcessPi> {
    const pi = new InProcessPi();
    vi.stubEnv("PI_CODING_AGENT_DIR", pi.agentDir);
    vi.stubEnv("PI_OFFLINE", "1");
    vi.stubEnv("TMPDIR", join(pi.root, "tmp"));
    vi.stubEnv("HOME", pi.root);
    if (start.settings) pi.write(join(pi.agentDir, "settings.json"), start.settings);
    if (start.ptc !== undefined) pi.write(join(pi.agentDir, "ptc.json"), start.ptc);
    for (const [name, content] of Object.entries(start.agents ?? {}))
      pi.write(join(pi.agentDir, "agents", name), content);
    for (const [path, content] of Object.entries(start.project ?? {})) pi.write(join(pi.cwd, path), content);
    await pi.#open(start);
    return pi;
  }

  /** Names of our tools and pi's, as an extension sees them. */
  get api(): codingAgent.ExtensionAPI {
    if (!this.#pi) throw new Error("no session");
    return this.#pi;
  }

  /** The request that a prompt makes first. */
  async ask(prompt = "go"): Promise<Request> {
    const before = this.requests.length;
    await this.session.prompt(prompt);
    const request = this.requests[before];
    if (!request) throw new Error(`no request was made for ${prompt}`);
    return request;
  }

  /** Runs a command, and gives what it told the person. */
  async command(line: string): Promise<string[]> {
    const [requests, told] = [this.requests.length, this.notices.length];
    await this.session.prompt(line);
    if (this.requests.length > requests) throw new Error(`${line} went to the model`);
    return this.notices.slice(told);
  }

  /** Text of the results of the model's own calls so far, oldest first. */
  get results(): { name: string; isError: boolean; text: string }[] {
    return this.session.messages.flatMap((message) => {
      if (message.role !== "toolResult") return [];
      const text = message.content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
      return [{ name: message.toolName, isError: message.isError, text }];
    });
  }

  /** Notices since the last look. */
  takeNotices(): string[] {
    return this.notices.splice(0);
  }

  write(path: string, content: unknown): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  }

  async close(): Promise<void> {
    await this.session.extensionRunner.emit({ type: "session_shutdown", reason: "quit" });
    this.session.dispose();
    vi.unstubAllEnvs();
    vi.unstubAllGlobals();
    rmSync(this.root, { recursive: true, force: true });
  }

  async #open(start: Start): Promise<void> {
    const parsed = codingAgent.parseArgs(start.args ?? []);
    process.argv = [process.execPath, PI_CLI, ...(start.args ?? [])];
    const settingsManager = codingAgent.SettingsManager.create(this.cwd, this.agentDir, {
      projectTrusted: start.trusted ?? false,
    });
    const faux = this.#model(start.steps ?? []);
    const builtIns = [
      { name: "codemode", factory: codingAgent.createCodemodeExtension(), replaceable: true, builtin: true },
      {
        name: "tool-search",
        factory: codingAgent.createToolSearchExtension(),
        replaceable: true,
        builtin: true,
      },
      { name: "mcp", factory: codingAgent.createMcpExtension(), replaceable: true, builtin: true },
    ];
    const host = { codingAgent, tui, typebox, typeboxValue };
    const resourceLoader = new codingAgent.DefaultResourceLoader({
      cwd: this.cwd,
      agentDir: this.agentDir,
      settingsManager,
      noExtensions: parsed.noExtensions ?? false,
      extensionFactories: [
        (pi) => {
          this.#pi = pi;
          pi.registerProvider(faux.provider);
        },
        ...(start.before ?? []),
        ...(start.without ? [] : [(pi: codingAgent.ExtensionAPI) => activate(host, pi)]),
        ...(start.after ?? []),
        ...builtIns,
      ],
    });
    await resourceLoader.reload();
    this.sessionManager = start.resume ?? codingAgent.SessionManager.inMemory(this.cwd);
    const { session } = await codingAgent.createAgentSession({
      cwd: this.cwd,
      agentDir: this.agentDir,
      settingsManager,
      resourceLoader,
      sessionManager: this.sessionManager,
      model: faux.getModel(),
      tools: parsed.tools,
      excludeTools: parsed.excludeTools,
      noTools: parsed.noTools ? "all" : parsed.noBuiltinTools ? "builtin" : undefined,
    });
    this.session = session;
    await this.#bind(start.mode ?? "print");
  }

  async #bind(mode: ExtensionMode): Promise<void> {
    const { session } = this;
    const none = async () => ({ cancelled: true });
    await session.bindExtensions({
      mode,
      ...(mode === "tui" || mode === "rpc" ? { uiContext: this.#ui() } : {}),
      commandContextActions: {
        waitForIdle: () => session.waitForIdle(),
        newSession: none,
        fork: none,
        navigateTree: none,
        switchSession: none,
        reload: () => session.reload(),
      },
      onError: (error) => this.stderr.push(`${error.extensionPath}: ${error.error}`),
    });
  }

  #ui(): codingAgent.ExtensionUIContext {
    const ui = {
      notify: (text: string, type = "info") => void this.notices.push(`${type}: ${text}`),
      confirm: (title: string, message: string) => this.confirm(title, message),
      setStatus: (_key: string, text: string | undefined) => void this.statuses.push(text),
    };
    return ui as unknown as codingAgent.ExtensionUIContext;
  }

  #model(steps: NonNullable<Start["steps"]>): ReturnType<typeof fauxProvider> {
    const faux = fauxProvider({ provider: "faux", models: [{ id: "faux-1" }] });
    let answered = 0;
    const step: FauxResponseStep = (context) => {
      faux.appendResponses([step]);
      const tools = getCurrentTools(context.messages) ?? [];
      this.requests.push({
        names: tools.map(({ name }) => name),
        tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
        system: getCurrentSystemPrompt(context.messages) ?? "",
        messages: context.messages as Request["messages"],
      });
      return answer(steps[answered++] ?? "done");
    };
    faux.setResponses([step]);
    return faux;
  }
}

function answer(step: [name: string, args: object][] | string): AssistantMessage {
  const blocks =
    typeof step === "string"
      ? [fauxText(step)]
      : step.map(([name, args]) => fauxToolCall(name, args as Parameters<typeof fauxToolCall>[1]));
  return fauxAssistantMessage(blocks, { stopReason: typeof step === "string" ? "stop" : "toolUse" });
}
