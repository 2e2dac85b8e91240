/** What real children get and are held to: a gate, a tier, an agent, usage (spec 2.2, 2.3, 2.8, 2.9). */

import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { dataOf, Family, subagent } from "./family.ts";
import { program } from "./real-pi.ts";

let family: Family;

beforeAll(async () => {
  family = await Family.open();
});

afterEach(() => family.expectNothingLeft());

afterAll(() => family.close());

describe("what a child of a real pi gets and gives", () => {
  test("obeys a gate that the parent was given by -e", async () => {
    const gate = join(family.home.home.root, "gate.ts");
    writeFileSync(
      gate,
      'export default (pi) => { pi.on("tool_call", (event) => event.toolName === "bash" ? { block: true, reason: "no bash says the gate" } : undefined); };\n',
    );
    family.answers.set("task wants bash", ({ results }) =>
      results.length === 0 ? { calls: [["bash", { command: "echo hi" }]] } : `bash said ${results[0]}`,
    );
    const { ends } = await family.parent("P-gate", [subagent({ task: "task wants bash" })], {
      args: ["-e", gate],
    });
    expect(String(dataOf(ends[0])["text"])).toContain("no bash says the gate");
  }, 60_000);

  test("that is read-only can neither write nor run commands, and says its tier", async () => {
    family.answers.set("task tries to write", ({ results, tools }) => {
      if (results.length > 0) return `tools ${tools.join(",")}; ${results.join(" | ")}`;
      return {
        calls: [
          ["write", { path: "x.txt", content: "x" }],
          ["bash", { command: "touch y.txt" }],
        ],
      };
    });
    const { ends } = await family.parent("P-read-only", [
      subagent({ task: "task tries to write", readOnly: true }),
    ]);
    expect(dataOf(ends[0])).toMatchObject({ status: "fulfilled", read_only_tier: "enforced" });
    expect(String(dataOf(ends[0])["text"])).toMatch(
      /^tools read,ptc_run_code,ptc_workflow,(grep,find,ls,)?ptc_child_report/,
    );
    expect(readdirSync(family.home.home.cwd)).not.toContain("x.txt");
    expect(readdirSync(family.home.home.cwd)).not.toContain("y.txt");
  }, 60_000);

  test("runs as an agent: its prompt, its tools, its name; an unknown one is refused with what there is", async () => {
    mkdirSync(join(family.home.home.agentDir, "agents"), { recursive: true });
    writeFileSync(
      join(family.home.home.agentDir, "agents", "scout.md"),
      "---\nname: scout\ndescription: Finds things fast\ntools: read\nchildReport: false\n---\nYou are the scout.\n",
    );
    family.answers.set(
      "task for the scout",
      ({ tools, system }) => `${tools.join(",")} ${system.includes("You are the scout.")}`,
    );
    const { ends } = await family.parent("P-agent", [
      subagent({ task: "task for the scout", agent: "scout" }),
      subagent({ task: "x", agent: "nobody" }),
    ]);
    expect(dataOf(ends[0])).toMatchObject({
      status: "fulfilled",
      report_channel: "opted-out",
      text: "read true",
    });
    expect(ends[1]?.isError).toBe(true);
    expect(ends[1]?.result.structuredContent).toBeUndefined();
    expect(ends[1]?.text).toMatch(/nobody.*scout/s);
  }, 60_000);

  test("counts its usage once in the session's totals", async () => {
    family.answers.set("task that costs", () => "cheap");
    const { events } = await family.parent("P-usage", [
      program('return (await tools["pi.dispatch"]({ task: "task that costs" })).usage.input'),
    ]);
    const result = events.find(
      (event) =>
        event.type === "message_end" && (event["message"] as { role?: string }).role === "toolResult",
    );
    expect(result?.["message"]).toMatchObject({ usage: { input: 100 } });
  }, 60_000);
});
