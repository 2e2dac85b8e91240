/** Switching the surface off ends background tasks at once, though it is a reload, which keeps them otherwise (spec 4.3). */

import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { leavesNothing, TaskHome, TRIES } from "./task-home.ts";

let home: TaskHome;
beforeAll(async () => {
  home = await TaskHome.open();
}, 60_000);
afterAll(() => home.family.close());

test("`/ptc surface off` loses the tasks that run, with their children; other changes of the surface let them run on", async () => {
  home.begin();
  const pi = home.rpc();
  const [id = ""] = await home.start(pi, ["hold on"]);
  await pi.send({ type: "prompt", message: "/ptc surface full" });
  await pi.send({ type: "prompt", message: "/kit-reload" });
  expect(home.record(id)?.status).toBe("running");
  expect(home.family.leftOver).not.toEqual([]);
  await pi.send({ type: "prompt", message: "/ptc surface off" });
  await home.becomes(id, "lost");
  await leavesNothing(home.family);
  await vi.waitFor(() => expect(pi.others()).toEqual([]), TRIES);
  expect(await pi.close()).toBe(0);
  expect(pi.stderr).toBe("");
}, 60_000);
