/** The tasks of one session of pi, from its start to its end, over a reload and without a kept session (spec 3.2, 3.3). */

import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEventBus, type ExtensionAPI } from "@earendil-works/pi-coding-agent";
import * as typebox from "typebox";
import * as typeboxValue from "typebox/value";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { DEFAULT_SETTINGS, type PtcSettings } from "../../src/base/settings.ts";
import type { Host } from "../../src/extension/host.ts";
import { TASK_STEP_EVENT, TaskService } from "../../src/extension/task-service.ts";
import { readBranch } from "../../src/tasks/told.ts";
import { answer, nextEnd, TaskPlace } from "../tasks/task-kit.ts";

let place: TaskPlace;
let temp: string;
const open: TaskService[] = [];
beforeEach(() => {
  place = new TaskPlace();
  temp = mkdtempSync(join(tmpdir(), "ptc-service-"));
  vi.stubEnv("TMPDIR", temp);
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((made) => made.close("quit")));
  vi.unstubAllEnvs();
  await place.remove();
  rmSync(temp, { recursive: true });
});

const events = createEventBus();
const entries: { type: string; customType: string; data: unknown }[] = [];
const pi = {
  events,
  appendEntry: (customType: string, data: unknown) => void entries.push({ type: "custom", customType, data }),
} as unknown as ExtensionAPI;
const host = {
  codingAgent: { DEFAULT_MAX_BYTES: 51_200, DEFAULT_MAX_LINES: 2_000 },
  typebox,
  typeboxValue,
} as unknown as Host;

function service(more: Partial<PtcSettings> = {}): TaskService {
  const settings = { ...DEFAULT_SETTINGS, ...more };
  const made = new TaskService({ host, pi, settings: () => settings, warn: () => undefined });
  open.push(made);
  return made;
}

/** A session that pi keeps in a file, or not. */
const session = (isKept = true, id = "session-1") =>
  ({
    sessionManager: {
      getSessionFile: () => (isKept ? `${place.root}/x.jsonl` : undefined),
      getSessionId: () => id,
      getSessionDir: () => place.root,
    },
  }) as never;

async function start(
  tasks: TaskService,
  steps: Parameters<TaskPlace["plan"]>[0],
  kind: "model" | "program" = "model",
) {
  const taskId = tasks.tasks().newId();
  const { ok, release } = tasks.slots().reserve() as { ok: boolean; release: () => void };
  expect(ok).toBe(true);
  const plan = place.plan(steps, taskId, { dispose: release });
  const handle = await tasks.start(
    plan,
    { taskId, label: "look around", depth: 1 },
    { kind, callerId: "call-1" },
  );
  if ("refusal" in handle) throw new Error(handle.refusal);
  return handle;
}

describe("a session", () => {
  test("has no tasks before it starts and after it ended", async () => {
    const mine = service();
    expect(() => mine.tasks()).toThrow("this session of pi has ended, or has not started yet");
    expect(mine.place()).toBeUndefined();
    mine.open(session());
    expect(mine.tasks().folder).toBe(place.folder);
    await mine.close("quit");
    expect(() => mine.tasks()).toThrow("has ended");
    expect([mine.current, existsSync(place.folder)]).toEqual([undefined, false]);
  });

  test("notes a start in its branch, with the folder, and tells the steps on pi's bus", async () => {
    const steps: unknown[] = [];
    const off = events.on(TASK_STEP_EVENT, (data) => void steps.push(data));
    const mine = service();
    mine.open(session());
    const handle = await start(mine, [answer("x")], "program");
    expect(handle).toEqual({ taskId: handle.taskId, label: "look around", status: "running" });
    expect(readBranch(entries).started.get(handle.taskId)).toBe(place.folder);
    expect(steps).toContainEqual({ step: "child-spawned", taskId: handle.taskId });
    expect(place.read(handle.taskId).spawnSource).toEqual({ kind: "program", callerId: "call-1" });
    off();
  });

  test("knows the task it is itself the child of", async () => {
    const above = "01J9Z3T5W8Q4N7K2M6P0R1S5VX";
    for (const [value, parentTaskId] of [
      [above, above],
      ["../x", undefined],
    ] as const) {
      vi.stubEnv("PI_PTC_TASK_ID", value);
      const mine = service();
      mine.open(session());
      const { taskId } = await start(mine, [answer("x")]);
      expect(mine.tasks().find(taskId)).toMatchObject({ record: value === above ? { parentTaskId } : {} });
      expect(place.read(taskId).parentTaskId).toBe(parentTaskId);
    }
  });

  test("notes once that the model looked at an end, where that is all it hears of it", async () => {
    entries.length = 0;
    for (const notify of ["wake", "quiet"] as const) {
      const mine = service({ notify });
      const tasks = mine.open(session());
      const ended = nextEnd(tasks);
      const { taskId } = await start(mine, [answer("x")]);
      await ended;
      mine.wasShown(taskId);
      mine.wasShown(taskId);
      const isQuiet = notify === "quiet";
      expect([...readBranch(entries).unanswered]).toEqual(isQuiet ? [taskId] : []);
      expect(entries.filter(({ data }) => (data as { taskId: string }).taskId === taskId)).toHaveLength(
        isQuiet ? 2 : 1,
      );
      await vi.waitFor(() => expect(tasks.isUntold(taskId)).toBe(!isQuiet));
      await mine.close("quit");
    }
  });

  test("keeps children's own sessions apart from its own", () => {
    const mine = service();
    mine.open(session());
    const id = mine.tasks().newId();
    expect(mine.place()?.sessionDir(id)).toBe(join(place.folder, id, "session"));
  });

  test.each(["quit", "new", "resume", "fork"])(
    "that ends by %s stops its tasks, which are lost, and frees their slots",
    async (reason) => {
      const mine = service();
      mine.open(session());
      const { taskId } = await start(mine, [{ hang: true }]);
      const slots = mine.slots();
      expect(slots.running).toBe(1);
      await mine.close(reason);
      expect([place.read(taskId).status, place.read(taskId).stopReason, slots.running]).toEqual([
        "lost",
        "session_ended_while_running",
        0,
      ]);
      const next = service();
      const tasks = next.open(session());
      await tasks.recover();
      expect(tasks.untold().map(({ id }) => id)).toEqual([taskId]);
    },
  );
});

describe.each([
  ["that pi keeps", true],
  ["that pi does not keep", false],
])("a reload of a session %s", (_what, isKept) => {
  test("goes on with what runs, what ended, and the slots", async () => {
    const first = service();
    const before = first.open(session(isKept));
    const ended = nextEnd(before);
    const done = await start(first, [answer("the answer")]);
    await ended;
    const running = await start(first, [{ sleepMs: 300 }, answer("x")]);
    const slots = first.slots();
    await first.close("reload");
    const second = service();
    const after = second.open(session(isKept));
    expect([after === before, second.slots() === slots, second.isAdopted, slots.running]).toEqual([
      true,
      true,
      true,
      1,
    ]);
    const last = nextEnd(after);
    expect(after.find(done.taskId)).toMatchObject({ record: { outputPreview: "the answer" } });
    expect(await last).toMatchObject({ id: running.taskId, status: "succeeded" });
    expect([slots.running, after.untold().map(({ id }) => id)]).toEqual([0, [done.taskId, running.taskId]]);
  });
});

test("a reload that leaves the tools out ends what ran, at once", async () => {
  const first = service();
  first.open(session());
  const { taskId } = await start(first, [{ hang: true }]);
  await first.close("reload");
  const second = service();
  await second.abandon(session());
  expect(place.read(taskId)).toMatchObject({ status: "lost", stopReason: "session_ended_while_running" });
  await second.abandon(session());
});

test("another session does not take over what a reload left", async () => {
  const first = service();
  first.open(session(false));
  await first.close("reload");
  const other = service();
  other.open(session(false, "session-2"));
  expect(other.isAdopted).toBe(false);
  const second = service();
  second.open(session(false));
  expect(second.isAdopted).toBe(true);
});

describe("a session that pi does not keep", () => {
  test("has its tasks in a private folder that goes with it, and its children keep no sessions", async () => {
    const mine = service();
    const { folder } = mine.open(session(false));
    expect(mine.place()?.sessionDir(mine.tasks().newId())).toBeUndefined();
    const ended = nextEnd(mine.tasks());
    const { taskId } = await start(mine, [answer("x")]);
    await ended;
    expect([
      folder.startsWith(temp),
      existsSync(join(folder, `${taskId}.json`)),
      existsSync(place.folder),
    ]).toEqual([true, true, false]);
    await mine.close("quit");
    expect(readdirSync(temp)).toEqual([]);
  });

  test("prunes nothing that lies beside its folder", async () => {
    const past = new Date(Date.now() - 40 * 86_400_000);
    for (const name of ["empty", "full"]) mkdirSync(join(temp, name));
    writeFileSync(join(temp, "full", ".x.tmp"), "");
    for (const name of ["empty", "full", join("full", ".x.tmp")]) utimesSync(join(temp, name), past, past);
    const mine = service();
    mine.open(session(false));
    await mine.prune();
    expect([existsSync(join(temp, "empty")), existsSync(join(temp, "full", ".x.tmp"))]).toEqual([true, true]);
  });
});
