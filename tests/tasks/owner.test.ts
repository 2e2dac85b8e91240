/** Who owns a task, and who is dead (spec 3.3). */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { identifyProcess } from "../../src/base/process-identity.ts";
import {
  createOwner,
  fileName,
  Heartbeat,
  isOwnerDead,
  leaveOwnership,
  ownerJudge,
} from "../../src/tasks/owner.ts";

let folder: string;
beforeEach(() => (folder = join(mkdtempSync(join(tmpdir(), "ptc-owner-")), "tasks")));
afterEach(() => rmSync(join(folder, ".."), { recursive: true, force: true }));

/** An owner that cannot tell when it started, as on a platform without such times. */
const blind = () => ({ ...createOwner(), startedAt: "" });

describe("an owner", () => {
  test("is this process, and each of its sessions is another one", () => {
    const [one, two] = [createOwner(), createOwner()];
    expect(one).toMatchObject({ pid: process.pid, startedAt: identifyProcess(process.pid)?.startedAt });
    expect(one.id).not.toBe(two.id);
    expect(isOwnerDead(one, folder)).toBe(false);
  });

  test("is dead when its process is gone, or its id was given to another", async () => {
    const child = spawn("sleep", ["30"]);
    const owner = {
      id: "x",
      ...(identifyProcess(child.pid as number) as { pid: number; startedAt: string }),
    };
    expect(isOwnerDead(owner, folder)).toBe(false);
    expect(isOwnerDead({ ...owner, startedAt: `${owner.startedAt}1` }, folder)).toBe(true);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(isOwnerDead(owner, folder)).toBe(true);
  });

  test("is asked about once in a pass, and owners are told apart by all they have", async () => {
    const child = spawn("sleep", ["30"]);
    const owner = {
      id: "x",
      ...(identifyProcess(child.pid as number) as { pid: number; startedAt: string }),
    };
    const isDead = ownerJudge(folder);
    expect([isDead(owner), isDead({ ...owner, startedAt: "then" })]).toEqual([false, true]);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect([isDead(owner), ownerJudge(folder)(owner)]).toEqual([false, true]);
  });

  test("that is suspended is not dead, however long it sleeps", async () => {
    const child = spawn("sleep", ["30"]);
    const owner = {
      id: "x",
      ...(identifyProcess(child.pid as number) as { pid: number; startedAt: string }),
    };
    child.kill("SIGSTOP");
    expect(isOwnerDead(owner, folder, Date.now() + 86_400_000)).toBe(false);
    child.kill("SIGKILL");
    await once(child, "exit");
  });

  test("whose session ended while its process goes on is dead to the folder it left", async () => {
    const owner = createOwner();
    await leaveOwnership(folder, owner);
    expect(isOwnerDead(owner, folder)).toBe(true);
    expect(isOwnerDead(owner, join(folder, "other"))).toBe(false);
    expect(isOwnerDead(createOwner(), folder)).toBe(false);
  });

  test("gives a file name that stays in its folder, whatever its id is", () => {
    for (const id of ["../../x", "a/b", "..", "x".repeat(1_000), "a\0b"])
      expect(fileName(id)).toMatch(/^[\w-]{0,64}$/);
  });
});

describe("where starts cannot be told", () => {
  test("an owner beats, and is dead after a silent minute", async () => {
    const owner = blind();
    const heartbeat = new Heartbeat(folder, owner);
    expect(existsSync(folder)).toBe(false);
    await Promise.all([heartbeat.begin(), heartbeat.begin()]);
    const beat = join(folder, `.beat-${owner.id}`);
    expect(readdirSync(folder)).toEqual([`.beat-${owner.id}`]);
    const now = Date.now();
    expect(isOwnerDead(owner, folder, now + 50_000)).toBe(false);
    expect(isOwnerDead(owner, folder, now + 61_000)).toBe(true);
    utimesSync(beat, new Date(now - 61_000), new Date(now - 61_000));
    expect(isOwnerDead(owner, folder)).toBe(true);
    heartbeat.end();
    await heartbeat.begin();
    expect(readdirSync(folder)).toEqual([]);
  });

  test("a clock that steps back kills nobody", async () => {
    const owner = blind();
    const heartbeat = new Heartbeat(folder, owner);
    await heartbeat.begin();
    expect(isOwnerDead(owner, folder, Date.now() - 3_600_000)).toBe(false);
    heartbeat.end();
  });

  test("an owner that never beat is dead", () => {
    mkdirSync(folder);
    expect(isOwnerDead(blind(), folder)).toBe(true);
  });

  test("one that told its start is not dead because it cannot be read now", () => {
    const real = process.platform;
    Object.defineProperty(process, "platform", { value: "win32" });
    try {
      expect(isOwnerDead({ id: "x", pid: process.pid, startedAt: "then" }, folder)).toBe(false);
    } finally {
      Object.defineProperty(process, "platform", { value: real });
    }
  });
});

describe("an owner in another container or on another machine", () => {
  // No process here has anything to do with it.
  const elsewhere = () => ({ ...createOwner(), pid: 2 ** 22 + 1, place: "another" });

  test("is not judged by the processes of this one, but by its heartbeat", async () => {
    const owner = elsewhere();
    const heartbeat = new Heartbeat(folder, owner);
    await heartbeat.begin();
    const now = Date.now();
    expect([isOwnerDead(owner, folder, now + 50_000), isOwnerDead(owner, folder, now + 61_000)]).toEqual([
      false,
      true,
    ]);
    expect(isOwnerDead({ ...owner, place: createOwner().place as string }, folder)).toBe(true);
    heartbeat.end();
    expect(isOwnerDead(owner, folder)).toBe(true);
  });

  test("is dead to the folder it left, whatever beats", async () => {
    const owner = elsewhere();
    const heartbeat = new Heartbeat(folder, owner);
    await heartbeat.begin();
    await leaveOwnership(folder, owner);
    expect(isOwnerDead(owner, folder)).toBe(true);
    heartbeat.end();
  });

  test("that wrote no place, as old records have none, is one of this one", () => {
    const { place: _none, ...owner } = createOwner();
    expect([isOwnerDead(owner, folder), isOwnerDead({ ...owner, startedAt: "then" }, folder)]).toEqual([
      false,
      true,
    ]);
  });
});
