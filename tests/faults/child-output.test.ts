/** Faults 16 and 23: what a child may print, from a real process through real pipes. */

import { afterAll, describe, expect, test } from "vitest";
import { startChild } from "../../src/children/start-child.ts";
import { answer, expectNoneMarked, message, PlayRoom, SETTLED } from "../children/played-child.ts";

const room = new PlayRoom();
afterAll(() => room.close());

const MIB = 1_048_576;
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const aMebibyteOf = (character: string): string => base64(character.repeat(MIB));

describe("a child whose events", () => {
  const text = "naïve \u2028 日本語 👩‍💻";
  const events = message(text) + SETTLED;

  test.each([
    ["come byte by byte", { out: events, chunkBytes: 1 }],
    ["come in pieces of seven bytes", { out: events, chunkBytes: 7 }],
    ["end in CR LF", { out: events.replaceAll("\n", "\r\n"), chunkBytes: 5 }],
    ["begin with a byte order mark", { out: `\uFEFF${events}`, chunkBytes: 1 }],
    ["have no newline at their end", { out: events.trimEnd() }],
  ])("%s is heard as it spoke", async (_name, step) => {
    const { result } = await room.play([step]);
    expect(result).toMatchObject({ status: "fulfilled", text, usage: { input: 10, turns: 1 } });
    expect(result).not.toHaveProperty("warnings");
  });

  test("have no newline at their end are heard whichever of exit and end of the pipe is first, fifty times over", async () => {
    for (let round = 0; round < 10; round += 1) {
      const all = await Promise.all(Array.from({ length: 5 }, () => room.say(events.trimEnd())));
      expect(all.map(({ result }) => result.status)).toEqual(Array.from({ length: 5 }, () => "fulfilled"));
    }
  });

  test("stop in the middle of the last one was cut off, and keeps what it said", async () => {
    const { result } = await room.play([{ out: message("so far") + SETTLED.slice(0, 20) }]);
    expect(result).toMatchObject({ status: "rejected", text: "so far" });
    expect(result.errorMessage).toMatch(/cut off/);
    expect(result.warnings).toEqual([expect.stringContaining("1 line")]);
  });

  test("stand among noise, null, {}, unknown types and usage that is none is heard, and each kind is counted", async () => {
    const noise = ["npm warn old", "null", "{}", "[]", '{"type":"brand_new"}', ""].map((line) => `${line}\n`);
    const { result } = await room.play([
      { out: noise.join("") + message("heard", { usage: null }) + SETTLED },
    ]);
    expect(result).toMatchObject({ status: "fulfilled", text: "heard", usage: { input: 0, turns: 1 } });
    expect(result.warnings).toHaveLength(5);
    expect(result.warnings?.join("\n")).toMatch(
      /no JSON\n.*no JSON object\n.*missing.*\n.*"brand_new"\n.*usage/,
    );
  });

  test("are of 30 MB is heard, and what it streamed in pieces costs nothing", async () => {
    const [head, tail] = message("@").split("@") as [string, string];
    const { result } = await room.play([
      { bytes: base64(`{"type":"message_update","x":"`) },
      { bytes: aMebibyteOf("u"), times: 30 },
      { bytes: base64('"}\n') },
      { bytes: base64(head) },
      { bytes: aMebibyteOf("x"), times: 30 },
      { bytes: base64(`${tail}${SETTLED}`) },
    ]);
    expect(result).toMatchObject({ status: "fulfilled", exitCode: 0 });
    expect(result.text).toBe("x".repeat(MIB));
    expect(result.warnings).toEqual([expect.stringContaining(`answer of ${30 * MIB} bytes was cut`)]);
  });

  test("come after 200 MB without a newline is heard, and memory stays where it was", async () => {
    const before = process.memoryUsage.rss();
    let most = 0;
    const sample = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 5);
    const { result } = await room.play([
      { bytes: aMebibyteOf("x"), times: 200 },
      { out: `\n${message("heard")}${SETTLED}` },
    ]);
    clearInterval(sample);
    expect(result).toMatchObject({ status: "fulfilled", text: "heard" });
    expect(result.warnings).toEqual([expect.stringContaining(`too long, ${200 * MIB} bytes`)]);
    expect(most - before).toBeLessThan(150 * MIB);
  });
});

test("what a child says on standard error after it closed standard output is heard, fifty times over", async () => {
  const args = ["-c", "exec >&-; head -c 60000 /dev/zero >&2; echo the reason >&2; exit 3"];
  for (let round = 0; round < 10; round += 1) {
    const all = await Promise.all(Array.from({ length: 5 }, () => room.say("", { args })));
    for (const { result } of all) expect(result.errorMessage).toMatch(/code 3: .*the reason$/s);
  }
});

describe("a child that writes without end", () => {
  test.each([
    ["standard error", 2],
    ["standard output", 1],
  ] as const)("on %s is stopped at its deadline, and little of it is kept", async (_name, fd) => {
    const { result, disposed } = await room.play(
      [{ out: message("half") }, { flood: `${"e".repeat(65_535)}\n`, fd }],
      { timeoutMs: 1_000 },
    );
    expect(result).toMatchObject({ status: "rejected", text: "half", started: true });
    expect(result.errorMessage).toContain("1000 ms");
    expect(result.stderr?.length ?? 0).toBeLessThanOrEqual(65_536);
    expect(disposed).toBe(1);
  });

  test("to both while pi is busy elsewhere loses nothing of its answer", async () => {
    const { plan } = room.prepare([{ err: "e".repeat(MIB), times: 20 }, answer("heard"), { err: "END" }]);
    const child = startChild(plan);
    const until = performance.now() + 300;
    // Its pipes fill up meanwhile.
    while (performance.now() < until);
    const result = await child.result;
    expect(result).toMatchObject({ status: "fulfilled", text: "heard" });
    expect(result.stderr?.endsWith("END")).toBe(true);
    await expectNoneMarked(plan.marker);
  });
});

describe("a report", () => {
  const report = { summary: "well", findings: [{ what: "a", evidence: "b" }], files_touched: ["x.ts"] };
  const call = (payload: unknown, more: object = {}): string => {
    const event = { toolCallId: "c1", toolName: "ptc_child_report" };
    const result = { content: [], structuredContent: payload };
    return ["start", "end"]
      .map(
        (end) =>
          `${JSON.stringify({ type: `tool_execution_${end}`, ...event, result, isError: false, ...more })}\n`,
      )
      .join("");
  };
  const reported = async (out: string) => (await room.say(out, { reportExpected: true })).result;
  const prose = (text: string): string => message(text) + SETTLED;
  const fenced = (payload: unknown): string => `Done.\n\`\`\`json\n${JSON.stringify(payload)}\n\`\`\``;

  test("by the tool goes before one in the text, and the prose stays", async () => {
    const result = await reported(
      call({ ...report, usage: { input: 9e9 } }) + prose(fenced({ ...report, summary: "other" })),
    );
    expect(result).toMatchObject({ status: "fulfilled", reportChannel: "tool", report });
    expect(result.report?.usage).toEqual({ input: 10, output: 5, cost: 0.25, turns: 1 });
    expect(result.text).toContain("Done.");
  });

  test("by the tool without a text is enough", async () => {
    const result = await reported(call(report) + prose(""));
    expect(result).toMatchObject({ status: "fulfilled", reportChannel: "tool", text: "", report });
  });

  test.each([
    ["fields are missing", { summary: "x" }],
    ["it is an array", [report]],
    ["its findings are texts", { ...report, findings: ["a"] }],
    ["there is nothing", undefined],
  ])("is none where %s, and the answer is fulfilled all the same", async (_name, payload) => {
    const result = await reported(call(payload) + prose(fenced(payload ?? "x")));
    expect(result).toMatchObject({ status: "fulfilled", reportChannel: "none" });
    expect(result).not.toHaveProperty("report");
    expect(result.text).toContain("Done.");
  });

  test("of 10 MB is kept in part, and the child is fulfilled", async () => {
    const findings = Array.from({ length: 10_000 }, () => ({
      what: "w".repeat(500),
      evidence: "e".repeat(500),
    }));
    const result = await reported(call({ ...report, findings }) + prose("Done."));
    expect(result).toMatchObject({ status: "fulfilled", reportChannel: "tool" });
    expect(JSON.stringify(result.report).length).toBeLessThan(1.5 * MIB);
    expect(result.report?.findings.at(-1)?.what).toMatch(/more findings were too much to keep/);
  });
});
