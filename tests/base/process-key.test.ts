import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, describe, expect, test, vi } from "vitest";
import { lifeOf, ownProcessKey, pidOfKey } from "../../src/base/process-key.ts";
import { isRunning } from "../faults/processes.ts";

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) if (child.pid && isRunning(child.pid)) child.kill("SIGKILL");
});

const MODULE = new URL("../../src/base/process-key.ts", import.meta.url).href;

/** Another process, and the key it has for itself. */
async function startKeyed(command = process.execPath, before: string[] = []) {
  const script = `import(${JSON.stringify(MODULE)}).then((m) => { console.log(m.ownProcessKey()); setInterval(() => 0, 1000); })`;
  const child = spawn(command, [...before, "-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  started.push(child);
  const [chunk] = (await once(child.stdout, "data")) as [Buffer];
  return { child, key: chunk.toString().trim() };
}

describe("the key of a process", () => {
  test("names it as long as it lives, also to others, and nothing after that", async () => {
    const { child, key } = await startKeyed();
    expect(pidOfKey(key)).toBe(child.pid);
    expect(lifeOf(key)).toBe("alive");
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(lifeOf(key)).toBe("gone");
  });

  test("is not that of a later process with the same id", () => {
    const [pid, start, place] = ownProcessKey().split("-");
    expect(lifeOf(`${pid}-${start}-${place}`)).toBe("alive");
    expect(lifeOf(`${pid}-${Number(start) + 1}-${place}`)).toBe("gone");
  });

  test("says nothing of another machine or container", () => {
    const [pid, start, place = ""] = ownProcessKey().split("-");
    const other = place.replace(/^./, (digit) => (digit === "0" ? "1" : "0"));
    expect(lifeOf(`${pid}-${start}-${other}`)).toBe("unknown");
    expect(lifeOf(`4194999-${start}-${other}`)).toBe("unknown");
  });

  test("of a process that ended and was not reaped is gone", async () => {
    const script = `${process.execPath} -e "import('${MODULE}').then((m) => { console.log(m.ownProcessKey()); })" & exec sleep 600`;
    const parent = spawn("sh", ["-c", script], { stdio: ["ignore", "pipe", "inherit"] });
    started.push(parent);
    const [chunk] = (await once(parent.stdout, "data")) as [Buffer];
    const key = chunk.toString().trim();
    await vi.waitFor(() => expect(isRunning(pidOfKey(key) as number)).toBe(false), { timeout: 10_000 });
    expect(() => process.kill(pidOfKey(key) as number, 0)).not.toThrow();
    expect(lifeOf(key)).toBe("gone");
  });

  test.each([
    "",
    "1",
    "0-1-0a1b2c3d",
    "-5-1-0a1b2c3d",
    "1-x-0a1b2c3d",
    "1-1-0a1b2c3",
    "1-1-0a1b2c3d ",
    "99999999999-1-0a1b2c3d",
  ])("is never what reads %j", (text) => {
    expect(pidOfKey(text)).toBeUndefined();
    expect(lifeOf(text)).toBe("unknown");
  });

  test("without a start is alive while there is a process with its id", async () => {
    const [, , place] = ownProcessKey().split("-");
    expect(lifeOf(`${process.pid}--${place}`)).toBe("alive");
    const child = spawn("true", { stdio: "ignore" });
    await once(child, "exit");
    expect(lifeOf(`${child.pid}--${place}`)).toBe("gone");
  });
});

test.runIf(process.getuid?.() === 0)("a key made in another namespace of ids is unknown here", async () => {
  const { child, key } = await startKeyed("unshare", [
    "--pid",
    "--fork",
    "--mount-proc",
    "--kill-child",
    process.execPath,
  ]);
  expect(pidOfKey(key)).toBe(1);
  expect(lifeOf(key)).toBe("unknown");
  child.kill("SIGKILL");
  await once(child, "exit");
});
