/** Ids are validated before they touch a path (spec 3.2; fault 24). */

import { basename, dirname, sep } from "node:path";
import { expect, test } from "vitest";
import { isTasksFolder, sessionTasksFolder, taskIdOf, TaskPaths } from "../../src/tasks/task-paths.ts";
import { temporaryTasksFolder } from "../../src/tasks/temporary-tasks.ts";
import { newId } from "./task-kit.ts";

const EVIL = ["", ".", "..", "../x", "a/b", "a\\b", "a\0b", ".hidden", "x".repeat(200), "ä", "-", "a\nb"];

test("each session has one folder below tasks, whatever its id is", () => {
  expect(sessionTasksFolder("/s", "0199-abc.D_e")).toBe("/s/tasks/0199-abc.D_e");
  const folders = EVIL.map((id) => sessionTasksFolder("/s", id));
  for (const folder of folders) {
    expect(dirname(folder)).toBe("/s/tasks");
    expect(basename(folder)).toMatch(/^x-[0-9a-f]{32}$/);
  }
  expect(new Set(folders).size).toBe(EVIL.length);
});

test("no path is built from what is no id", () => {
  const paths = new TaskPaths("/s/tasks/x");
  const id = newId();
  const all = (["record", "taskFolder", "output", "stderr", "session", "notice"] as const).map(
    (kind) => (value: string) => paths[kind](value),
  );
  for (const path of all) {
    expect(path(id).startsWith(`/s/tasks/x${sep}`)).toBe(true);
    for (const wrong of [...EVIL, `${id}/../x`, id.toLowerCase(), 5 as never, undefined as never])
      expect(() => path(wrong)).toThrow(TypeError);
  }
});

test("file names of records tell their id, others tell none", () => {
  const id = newId();
  expect(taskIdOf(`${id}.json`)).toBe(id);
  for (const name of [id, `${id}.json.tmp`, `.${id}.json`, "x.json", "..json", `${id}.JSON`])
    expect(taskIdOf(name)).toBeUndefined();
});

test("a folder that an entry of a session names is one that tasks may lie in", () => {
  expect(isTasksFolder(sessionTasksFolder("/s", "a"))).toBe(true);
  expect(isTasksFolder(temporaryTasksFolder())).toBe(true);
  for (const path of ["/etc", "tasks/a", "/s/tasks/../a", "/s/tasks/a/../../x", "", "/s/tasks/a/b"])
    expect(isTasksFolder(path)).toBe(false);
});
