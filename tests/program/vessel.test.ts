import { afterEach, describe, expect, test } from "vitest";
import { encodeHostFrame, Mailbox, type VesselEnd, workerEnvironment } from "../../src/program/vessel.ts";

const END: VesselEnd = { kind: "worker-exit", message: "gone" };

function listener(): { heard: unknown[]; hears: Parameters<Mailbox["listen"]>[0] } {
  const heard: unknown[] = [];
  return {
    heard,
    hears: {
      onFrame: (frame) => heard.push(["frame", frame]),
      onOutput: (stream, text) => heard.push([stream, text]),
      onEnd: (end) => heard.push(["end", end]),
    },
  };
}

describe("a mailbox", () => {
  test("holds what came before anybody listened, and hands it over in order", () => {
    const box = new Mailbox();
    box.onFrame(1);
    box.onOutput("stderr", "x");
    box.onEnd(END);
    const { heard, hears } = listener();
    box.listen(hears);
    expect(heard).toEqual([
      ["frame", 1],
      ["stderr", "x"],
      ["end", END],
    ]);
  });

  test("tells the second owner of an end that the first one heard", () => {
    const box = new Mailbox();
    const [first, second] = [listener(), listener()];
    box.listen(first.hears);
    box.onEnd(END);
    box.listen(second.hears);
    expect(second.heard).toEqual([["end", END]]);
  });

  test("is silent after the end, and once it is closed", () => {
    const [ended, closed] = [new Mailbox(), new Mailbox()];
    const { heard, hears } = listener();
    ended.listen(hears);
    ended.onEnd(END);
    ended.onEnd(END);
    ended.onFrame(1);
    closed.listen(hears);
    closed.close();
    closed.onFrame(2);
    closed.onEnd(END);
    expect(heard).toEqual([["end", END]]);
  });
});

describe("a frame for a worker", () => {
  const frame = (reason: string) => ({ kind: "abort", reason }) as const;

  test("is JSON text, within the limit of its bytes", () => {
    const json = JSON.stringify(frame("é"));
    expect(encodeHostFrame(frame("é"), Buffer.byteLength(json))).toEqual({ json });
    expect(encodeHostFrame(frame("é"), Buffer.byteLength(json) - 1)).toEqual({
      problem: `${Buffer.byteLength(json)} bytes are over the limit of ${Buffer.byteLength(json) - 1} (maxMessageBytes)`,
    });
  });

  test("that is no JSON is a problem, not a throw", () => {
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    for (const raw of [1n, cycle]) {
      const reply = { kind: "reply", id: 1, reply: { ok: true, raw } } as never;
      expect(encodeHostFrame(reply, 1e6)).toMatchObject({
        problem: expect.stringContaining("it is no JSON"),
      });
    }
  });
});

describe("the variables of a worker", () => {
  const before = { ...process.env };
  afterEach(() => void (process.env = { ...before }));

  test("are the six of the specification, and only those that are set", () => {
    process.env = { PATH: "/bin", HOME: "/root", SECRET: "x", TMP: "/tmp", NODE_OPTIONS: "--inspect" };
    expect(workerEnvironment()).toEqual({ PATH: "/bin", TMP: "/tmp" });
  });
});
