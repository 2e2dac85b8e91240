/** Ends that are still to be told (spec 3.2, 3.5). */

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Outbox } from "../../src/tasks/outbox.ts";
import { newId, TaskPlace } from "./task-kit.ts";

let place: TaskPlace;
let outbox: Outbox;
beforeEach(() => {
  place = new TaskPlace();
  outbox = new Outbox(place.store());
});
afterEach(() => place.remove());

test("what is noted is there, oldest first, until the model knows", async () => {
  const [one, two] = [newId(), newId()];
  await outbox.add(two);
  await outbox.add(one);
  await outbox.add(one);
  expect([outbox.ids(), outbox.has(one), outbox.has(newId())]).toEqual([[one, two], true, false]);
  expect(JSON.parse(readFileSync(place.at("outbox", `${one}.json`), "utf8"))).toEqual({ schema: 1, id: one });
  expect([
    statSync(place.at("outbox")).mode & 0o777,
    statSync(place.at("outbox", `${one}.json`)).mode & 0o777,
  ]).toEqual([0o700, 0o600]);
  await outbox.remove(one);
  await outbox.remove(one);
  expect([outbox.ids(), readdirSync(place.at("outbox"))]).toEqual([[two], [`${two}.json`]]);
});

test("a folder that is not there is an empty outbox", () => {
  expect(outbox.ids()).toEqual([]);
});

test("files that are no notices are left alone, and what they hold is not read", () => {
  const id = newId();
  mkdirSync(place.at("outbox"), { recursive: true });
  for (const name of ["x.json", "..json", ".1-a.tmp", `${id}.txt`])
    writeFileSync(place.at("outbox", name), "x");
  writeFileSync(place.at("outbox", `${id}.json`), "garbage");
  expect(outbox.ids()).toEqual([id]);
});

test("an outbox that is a link is neither read nor written", async () => {
  const id = newId();
  mkdirSync(`${place.root}/elsewhere`);
  mkdirSync(place.folder, { recursive: true });
  writeFileSync(`${place.root}/elsewhere/${id}.json`, "{}");
  symlinkSync(`${place.root}/elsewhere`, place.at("outbox"));
  expect(outbox.ids()).toEqual([]);
  const other = newId();
  await expect(outbox.add(other)).rejects.toThrow(/folder/);
  expect(existsSync(`${place.root}/elsewhere/${other}.json`)).toBe(false);
});

test("an id that is none is refused before any path is built", async () => {
  await expect(outbox.add("../x")).rejects.toThrow(TypeError);
  await expect(outbox.remove("../x")).rejects.toThrow(TypeError);
});
