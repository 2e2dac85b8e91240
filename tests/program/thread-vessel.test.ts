import { expect, test } from "vitest";
import { resolveConfig } from "../../src/base/limits.ts";
import { ThreadVessel } from "../../src/program/thread-vessel.ts";
import type { VesselEnd } from "../../src/program/vessel.ts";

test("a thread that cannot be started is told as such, and what it would have been given may fail, too", async () => {
  const stray: unknown[] = [];
  const note = (reason: unknown): void => void stray.push(reason);
  process.on("unhandledRejection", note);
  try {
    const parts = Promise.reject<object>(new Error("the engine's file is gone"));
    const vessel = new ThreadVessel(
      { cwd: "/", ...resolveConfig({}), onGone: () => undefined },
      { kind: "quickjs", entry: new URL("https://loopback.invalid/worker.cjs"), data: {}, parts },
    );
    const end = await new Promise<VesselEnd>((resolve) => {
      vessel.listen({ onFrame: () => undefined, onOutput: () => undefined, onEnd: resolve });
    });
    expect(end).toEqual({
      kind: "refused",
      message: expect.stringContaining("no worker thread could be started"),
    });
    await new Promise(setImmediate);
    expect(stray).toEqual([]);
  } finally {
    process.off("unhandledRejection", note);
  }
});
