import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { identifyProcess, presenceOf } from "../../src/base/process-identity.ts";

afterEach(() => vi.unstubAllEnvs());

/** Behaves as on another platform, whose answers the test gives. */
function onPlatform<Result>(platform: NodeJS.Platform, run: () => Result): Result {
  const real = process.platform;
  Object.defineProperty(process, "platform", { value: platform });
  try {
    return run();
  } finally {
    Object.defineProperty(process, "platform", { value: real });
  }
}

describe("a process", () => {
  test("is known by its id and its start, the same each time it is asked", () => {
    const own = identifyProcess(process.pid);
    expect(own).toEqual({ pid: process.pid, startedAt: expect.stringMatching(/./) });
    expect(identifyProcess(process.pid)).toEqual(own);
    expect(presenceOf(own as never)).toBe("alive");
  });

  test.runIf(process.platform === "linux")("is told apart by the boot and the ticks since then", () => {
    const ticks = readFileSync("/proc/self/stat", "latin1").split(") ")[1]?.split(" ")[19];
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    expect(identifyProcess(process.pid)?.startedAt).toBe(`${boot}:${ticks}`);
  });

  test("with the same id and another start is another process", () => {
    expect(presenceOf({ pid: process.pid, startedAt: "1970" })).toBe("gone");
  });

  test("is gone once it has ended, and while it is a zombie that nobody asked after", async () => {
    const child = spawn("sleep", ["0.2"]);
    const identity = identifyProcess(child.pid as number);
    expect(presenceOf(identity as never)).toBe("alive");
    await once(child, "exit");
    expect(presenceOf(identity as never)).toBe("gone");
    expect(identifyProcess(child.pid as number)).toBeUndefined();
    // What was a shell asks after no child, so one that ends later stays a zombie.
    const shell = spawn("sh", ["-c", "sleep 0.3 & echo $!; exec sleep 30"]);
    const [output] = (await once(shell.stdout, "data")) as [Buffer];
    const zombie = Number(output.toString());
    await vi.waitFor(() => expect(readFileSync(`/proc/${zombie}/stat`, "latin1")).toContain(") Z "), 10_000);
    expect(identifyProcess(zombie)).toBeUndefined();
    shell.kill("SIGKILL");
    await once(shell, "exit");
  });

  test("may have any name", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ptc-identity-"));
    const path = join(folder, "a) R 1 (b");
    execFileSync("cp", [execFileSync("sh", ["-c", "command -v sleep"], { encoding: "utf8" }).trim(), path]);
    const child = spawn(path, ["30"]);
    await once(child, "spawn");
    const identity = identifyProcess(child.pid as number);
    expect(identity?.startedAt).toMatch(/:\d+$/);
    child.kill("SIGKILL");
    await once(child, "exit");
    rmSync(folder, { recursive: true });
  });

  test("of a platform that tells no starts is unknown while some process has the id", () => {
    onPlatform("win32", () => {
      expect(identifyProcess(process.pid)).toEqual({ pid: process.pid, startedAt: "" });
      expect(presenceOf({ pid: process.pid, startedAt: "" })).toBe("unknown");
      expect(presenceOf({ pid: process.pid, startedAt: "then" })).toBe("unknown");
      expect(presenceOf({ pid: 4_194_305, startedAt: "" })).toBe("gone");
    });
  });
});

describe("where ps tells the start", () => {
  /** Puts a `ps` in front of the system's. */
  function withPs<Result>(script: string, run: () => Result): Result {
    const folder = mkdtempSync(join(tmpdir(), "ptc-ps-"));
    writeFileSync(join(folder, "ps"), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, "ps"), 0o755);
    vi.stubEnv("PATH", `${folder}:${process.env["PATH"]}`);
    try {
      return onPlatform("darwin", run);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  test("it does not depend on language and zone of who asks", () => {
    onPlatform("darwin", () => {
      const plain = identifyProcess(process.pid);
      expect(plain?.startedAt).toMatch(/^\d+$/);
      vi.stubEnv("TZ", "Asia/Tokyo");
      vi.stubEnv("LC_ALL", "de_DE.UTF-8");
      expect(identifyProcess(process.pid)).toEqual(plain);
    });
  });

  test("a zombie is gone", () => {
    const lines = [`${process.pid} 1 S Mon Nov 30 16:00:53 2026`, "4242 1 Z+ Mon Nov 30 16:00:53 2026"];
    const listing = lines.map((line) => `echo "${line}"`).join("; ");
    expect(withPs(listing, () => identifyProcess(4_242))).toBeUndefined();
    expect(withPs(listing, () => identifyProcess(process.pid))?.startedAt).toBe("1796054453");
  });

  test("a ps that cannot be run leaves the start unknown, not the process gone", () => {
    vi.stubEnv("PATH", join(tmpdir(), "no-such-folder"));
    const identity = onPlatform("darwin", () => identifyProcess(process.pid));
    expect(identity).toEqual({ pid: process.pid, startedAt: "" });
  });
});

test.runIf(process.platform === "linux")("a pi that is short of descriptors takes nobody for dead", () => {
  const module = join(import.meta.dirname, "../../src/base/process-identity.ts");
  const script = `
    import { openSync } from "node:fs";
    import { identifyProcess, presenceOf } from ${JSON.stringify(module)};
    const other = identifyProcess(process.ppid);
    const before = presenceOf(other);
    try { for (;;) openSync("/dev/null", "r"); } catch {}
    console.log(before, presenceOf(other));`;
  const command = `ulimit -n 64; exec '${process.execPath}' --input-type=module-typescript -e '${script}'`;
  expect(execFileSync("sh", ["-c", command], { encoding: "utf8" }).trim()).toBe("alive unknown");
});
