import { homedir } from "node:os";
import { parseArgs } from "@earendil-works/pi-coding-agent";
import { describe, expect, test } from "vitest";
import {
  type ChildArguments,
  childArguments,
  type ChildStart,
  type ParentLaunch,
} from "../../src/children/child-arguments.ts";

const PARENT: ParentLaunch = {
  launch: undefined,
  launchCwd: "/work dir/ü",
  sameProject: true,
  projectTrusted: true,
  projectExtensions: [],
  ownExtension: "/lib/pi-ptc-subagents",
  childArgs: [],
};
const START: ChildStart = {
  model: "faux/faux-1",
  thinkingLevel: "high",
  tools: ["read", "grep"],
  noMcp: true,
  promptPath: "/tmp/p/prompt.md",
};
const build = (parent: Partial<ParentLaunch> = {}, start: Partial<ChildStart> = {}): ChildArguments =>
  childArguments({ ...PARENT, ...parent }, { ...START, ...start }, parseArgs);
const argsOf = (parent: Partial<ParentLaunch> = {}, start: Partial<ChildStart> = {}): string[] => {
  const built = build(parent, start);
  if (!built.ok) throw new Error(built.refusal);
  return built.args;
};
/** What pi makes of the arguments when the session was launched with `launch`. */
const readBack = (launch: string[], parent: Partial<ParentLaunch> = {}, start: Partial<ChildStart> = {}) =>
  parseArgs(argsOf({ launch: parseArgs(launch), ...parent }, start));
const refusalOf = (parent: Partial<ParentLaunch>, start: Partial<ChildStart> = {}): string => {
  const built = build(parent, start);
  if (built.ok) throw new Error(built.args.join(" "));
  return built.refusal;
};

describe("the arguments of a child", () => {
  test("are these", () => {
    expect(argsOf()).toEqual([
      ...["--mode", "json", "-p", "--no-session"],
      ...["--extension", "/lib/pi-ptc-subagents"],
      ...["--no-mcp", "--approve", "--model", "faux/faux-1", "--thinking", "high", "--tools", "read,grep"],
      ...["--append-system-prompt", "/tmp/p/prompt.md"],
    ]);
  });

  test("hold no model and level where the session has none", () => {
    const read = readBack([], {}, { model: undefined, thinkingLevel: undefined });
    expect([read.model, read.thinking]).toEqual([undefined, undefined]);
  });

  test("give no tools where there are none", () => {
    expect(readBack([], {}, { tools: [] }).tools).toEqual([]);
  });

  test("hold no prompt and no file, whatever the parent was launched with", () => {
    const read = readBack(["-p", "do it", "@file", "--", "-x", "--mode", "rpc"]);
    expect([read.messages, read.fileArgs, read.mode, read.print]).toEqual([[], [], "json", true]);
  });

  test("hold no key, and a warning says so", () => {
    const built = build({ launch: parseArgs(["--api-key", "sk-SECRET", "--model", "a/b"]) });
    expect(built).toMatchObject({ ok: true, warnings: [expect.stringContaining("--api-key is not passed")] });
    expect(JSON.stringify(built)).not.toContain("SECRET");
  });
});

describe("passed on from the parent's launch", () => {
  test("are its extensions by absolute paths, sources as they are, each once", () => {
    const launch = [
      ...["-e", "./gate.ts", "--extension", "../lib/x", "-e", "/abs/y.ts", "-e", "~/mine.ts"],
      ...[
        "-e",
        "npm:@a/b@1",
        "-e",
        "builtin:mcp",
        "-e",
        "git:h/r",
        "-e",
        "https://h/r",
        "-e",
        "file:///f%20g.ts",
      ],
      ...["-e", "./gate.ts", "-e", "/lib/pi-ptc-subagents"],
    ];
    expect(readBack(launch).extensions).toEqual([
      "/work dir/ü/gate.ts",
      "/work dir/lib/x",
      "/abs/y.ts",
      `${homedir()}/mine.ts`,
      "npm:@a/b@1",
      "builtin:mcp",
      "git:h/r",
      "https://h/r",
      "/f g.ts",
      "/lib/pi-ptc-subagents",
    ]);
  });

  test("are the flags of extensions, with their values", () => {
    const launch = ["--plan", "--level=-x @y", "--depth", "3", "--empty=", "--last"];
    expect([...readBack(launch).unknownFlags]).toEqual([
      ["plan", true],
      ["level", "-x @y"],
      ["depth", "3"],
      ["empty", ""],
      ["last", true],
    ]);
  });

  test("are what it took away: extensions, context files, skills, MCP, tools", () => {
    const read = readBack(["-ne", "-nc", "-ns", "--no-mcp", "-xt", "web,mcp__*"], {}, { noMcp: false });
    expect(read).toMatchObject({
      noExtensions: true,
      noContextFiles: true,
      noSkills: true,
      noMcp: true,
      excludeTools: ["web", "mcp__*"],
    });
    const plain = readBack([], {}, { noMcp: false });
    expect([plain.noExtensions, plain.noContextFiles, plain.noMcp, plain.excludeTools]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("is nothing else", () => {
    const launch = [
      "--tools",
      "bash",
      "-c",
      "--session-dir",
      "/s",
      "--name",
      "n",
      "--system-prompt",
      "x",
      "--provider",
      "p",
      "--model",
      "m",
      "-a",
      "--verbose",
    ];
    expect(argsOf({ launch: parseArgs(launch) })).toEqual(argsOf());
  });
});

describe("the project", () => {
  test.each([
    [true, true, "--approve"],
    [true, false, "--no-approve"],
    [false, true, "--no-approve"],
    [false, false, "--no-approve"],
  ])("same: %j, trusted: %j gives %s", (sameProject, projectTrusted, flag) => {
    const args = argsOf({ sameProject, projectTrusted, launch: parseArgs(["--approve"]) });
    expect(args.filter((arg) => /approve/.test(arg))).toEqual([flag]);
  });

  test("sends the extensions along that the session has loaded from it, unless it has loaded none", () => {
    const projectExtensions = ["/proj/.pi/extensions/gate.ts"];
    const away = { projectExtensions, sameProject: false };
    expect(readBack([], away).extensions).toEqual([...projectExtensions, "/lib/pi-ptc-subagents"]);
    expect(readBack(["-ne"], away).extensions).toEqual(["/lib/pi-ptc-subagents"]);
  });
});

describe("the setting childArgs", () => {
  test("adds options, and leaves ours as they are", () => {
    const childArgs = [
      "--no-skills",
      "--append-system-prompt",
      "Be brief",
      "-e",
      "/mine.ts",
      "--offline",
      "--my-flag",
    ];
    const read = readBack(["-xt", "web"], { childArgs: [...childArgs, "-xt", "bash,web"] });
    expect(read).toMatchObject({
      noSkills: true,
      offline: true,
      appendSystemPrompt: ["Be brief", "/tmp/p/prompt.md"],
      extensions: ["/mine.ts", "/lib/pi-ptc-subagents"],
      excludeTools: ["web", "bash"],
      tools: ["read", "grep"],
    });
    expect(read.unknownFlags.get("my-flag")).toBe(true);
  });

  test.each([
    [["--tools", "bash"], "--tools, which is not for it to decide"],
    [["--no-tools"], "--no-tools"],
    [["--model", "a/b"], "--model"],
    [["--thinking", "low"], "--thinking"],
    [["--mode", "rpc"], "--mode"],
    [["-p"], "--print"],
    [["--session", "x"], "--session"],
    [["-c"], "--continue"],
    [["--approve"], "--approve or --no-approve"],
    [["--no-approve"], "--approve or --no-approve"],
    [["--help"], "--help"],
    [["--list-models"], "--list-models"],
    [["--api-key", "k"], "--api-key, which would show"],
    [["--", "--tools"], '"--tools", but may only hold options'],
    [["--"], '"--", but may only hold options'],
    [["hello"], '"hello", but may only hold options'],
    [["@file"], '"file", but may only hold options'],
    [["-z"], "is wrong: Unknown option: -z"],
    [["-e", "./x.ts"], 'the relative extension "./x.ts"'],
  ])("as %j is refused", (childArgs, sentence) => {
    const refusal = refusalOf({ childArgs });
    expect(refusal).toContain("the setting childArgs");
    expect(refusal).toContain(sentence);
    expect(refusal).toContain("ptc.json");
  });

  test.each([["--append-system-prompt"], ["-e"], ["--skill"], ["--exclude-tools"]])(
    "ending in %s, which would take the next argument for its value, is refused",
    (last) => {
      expect(refusalOf({ childArgs: [last] })).toContain("childArgs");
    },
  );
});

test("arguments that pi would read otherwise are refused before anything is started", () => {
  expect(refusalOf({}, { tools: ["read", "+bash"] })).toContain(
    "pi would not read the child's arguments as they are meant",
  );
  expect(refusalOf({}, { tools: ["a,b "] })).toContain("--tools would be");
  expect(refusalOf({}, { thinkingLevel: "deep" })).toContain("pi would not read");
});
