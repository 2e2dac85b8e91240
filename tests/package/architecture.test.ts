/** The page on the code's own structure, held against the code. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ENTRY_GROUPS } from "../../scripts/bundle.ts";
import { HOST_LOADERS, ROOMS } from "../../scripts/check-layers.ts";
import { FRAMES_IN_FD, FRAMES_OUT_FD } from "../../src/worker/channel.ts";
import { CHECKOUT } from "./packed.ts";
import { Examples, readPage, table } from "./pages.ts";

const PAGE = "docs/architecture.md";
const pictures = new Examples([PAGE]);

describe("docs/architecture.md", () => {
  test("draws the arrows between rooms that the layers check allows", () => {
    const drawn = pictures
      .take(PAGE, "flowchart")
      .split("\n")
      .flatMap((line) => {
        const [, from, arrow, to] = /^ +(\S+) (-->|-\.->) (.+)$/.exec(line) ?? [];
        return (to ?? "").split(" & ").flatMap((room) => (from ? [`${from} ${arrow} ${room}`] : []));
      });
    const allowed = Object.entries(ROOMS).flatMap(([room, { mayImport, typesFrom = [] }]) => [
      ...mayImport
        .filter((target) => target !== "base")
        .map((target) => `${room} --> ${target.split("/", 1)[0]}`),
      ...typesFrom.map((target) => `${room} -.-> ${target}`),
    ]);
    expect(drawn.toSorted()).toEqual(allowed.toSorted());
    const withoutBase = Object.keys(ROOMS).filter(
      (room) => room !== "base" && !ROOMS[room]?.mayImport.includes("base"),
    );
    expect(readPage(PAGE)).toContain(
      `all may import it but ${withoutBase.map((room) => `\`${room}\``).join(" and ")}`,
    );
  });

  test("lists every room, and how much of pi it knows", () => {
    const knows = (room: string): string =>
      HOST_LOADERS.has(room) ? "loads it" : ROOMS[room]?.knowsPi === false ? "no" : "types";
    const rows = table(PAGE, "room").map(([room, , pi]) => [room, pi]);
    expect(Object.fromEntries(rows)).toEqual(
      Object.fromEntries(Object.keys(ROOMS).map((room) => [room, knows(room)])),
    );
  });

  test("names files and built files that there are", () => {
    const page = readPage(PAGE);
    const named = [...page.matchAll(/\b(?:src\/)?([a-z]+\/[\w-]+\.ts)\b/g)].map(([, path]) => path as string);
    const files = named.filter((path) => !path.startsWith("scripts/") && !path.startsWith("src/"));
    expect(files.length).toBeGreaterThan(30);
    expect(files.filter((path) => !existsSync(join(CHECKOUT, "src", path)))).toEqual([]);
    for (const name of ENTRY_GROUPS.flatMap(({ entries }) => Object.keys(entries)))
      expect(page).toMatch(new RegExp(`\`${name}\\.c?js\``));
  });

  test.each(["ptc_run_code", "planChild", "outbox", "prepareLoadout"])(
    "lets only those speak who are there: the sequence of %s",
    (part) => {
      const lines = pictures.take(PAGE, part);
      const there = [...lines.matchAll(/^ +participant (\w+)/gm)].map(([, name]) => name);
      const steps = [...lines.matchAll(/^ +(\w+)--?>>(\w+): \S/gm)];
      expect(steps.length).toBe(lines.trim().split("\n").length - 1 - there.length);
      for (const [, from, to] of steps) expect(there).toEqual(expect.arrayContaining([from, to]));
    },
  );

  test("names the file descriptors of a worker process", () => {
    expect(pictures.take(PAGE, "guardian")).toContain("one for each program");
    expect(readPage(PAGE)).toContain(
      `gets frames on file descriptor ${FRAMES_IN_FD} and writes them to ${FRAMES_OUT_FD}`,
    );
  });

  test("has no picture that was not looked at", () => {
    expect(pictures.problems()).toEqual([]);
  });
});
