/** What a session remembers of surface and PTC mode: resumed, resumed without this package, reloaded (spec 4.1, 4.2). */

import { afterEach, expect, test } from "vitest";
import { InProcessPi, type Start } from "./in-process-pi.ts";
import { isPiBefore } from "./pi-version.ts";

const BUILT_INS = ["bash", "edit", "read", "write"];
const PROGRAMS = ["ptc_run_code", "ptc_workflow"];
const TASKS = ["ptc_task_list", "ptc_task_output", "ptc_task_stop"];
const SCREEN: Start = { mode: "tui" };

let opened: InProcessPi[] = [];
afterEach(async () => {
  for (const pi of opened.splice(0).toReversed()) await pi.close();
});
async function start(options: Start): Promise<InProcessPi> {
  const pi = await InProcessPi.start(options);
  opened.push(pi);
  return pi;
}

/** Names that the next request offers, sorted. */
const offered = async (pi: InProcessPi): Promise<string[]> => (await pi.ask()).names.toSorted();
const entriesOf = (pi: InProcessPi): unknown[] =>
  pi.sessionManager
    .getEntries()
    .flatMap((entry) =>
      entry.type === "custom" && entry.customType.startsWith("ptc-mode") ? [entry.data] : [],
    );

test("PTC mode that began by itself is written nowhere, and begins again in a resumed session", async () => {
  const first = await start(SCREEN);
  await first.ask();
  expect(entriesOf(first)).toEqual([]);
  const second = await start({ ...SCREEN, resume: first.sessionManager });
  expect(await offered(second)).toEqual([...PROGRAMS, ...TASKS].toSorted());
});

test.each([
  ["off", [...BUILT_INS, ...TASKS]],
  ["on", [...PROGRAMS, ...TASKS]],
] as const)("a session remembers `/ptc %s`, printing or not, and writes it once", async (word, tools) => {
  const first = await start(SCREEN);
  for (let times = 0; times < 2; times += 1) await first.command(`/ptc ${word}`);
  await first.ask();
  expect(entriesOf(first)).toEqual([{ mode: word }]);
  for (const mode of ["tui", "print"] as const) {
    const later = await start({ mode, resume: first.sessionManager });
    expect(await offered(later)).toEqual(tools.toSorted());
  }
});

test("a session that was resumed once without this package gets its tools back", async () => {
  const first = await start(SCREEN);
  const before = await offered(first);
  const without = await start({ ...SCREEN, without: true, resume: first.sessionManager });
  expect(await offered(without)).toEqual(BUILT_INS);
  const back = await start({ ...SCREEN, resume: first.sessionManager });
  expect(await offered(back)).toEqual(before);
});

// An older pi leaves tools that its branch never had inactive, as if somebody had put them away.
test.skipIf(isPiBefore("1.5.2"))("on subagents it gets them back, too", async () => {
  const codemode: Start = { args: ["--tools", "+codemode"] };
  const first = await start(codemode);
  const before = await offered(first);
  const without = await start({ ...codemode, without: true, resume: first.sessionManager });
  expect(await offered(without)).toEqual([...BUILT_INS, "codemode"].toSorted());
  const back = await start({ ...codemode, resume: first.sessionManager });
  expect(await offered(back)).toEqual(before);
});

test("it gets its tools on the other surface, when it is that now", async () => {
  const first = await start(SCREEN);
  await first.ask();
  const without = await start({ ...SCREEN, without: true, resume: first.sessionManager });
  await without.ask();
  const other = await start({ ...SCREEN, ptc: { surfaceMode: "subagents" }, resume: first.sessionManager });
  expect(await offered(other)).toEqual([...BUILT_INS, "ptc_subagent", ...TASKS].toSorted());
});

test("it gets none back that its launch leaves out", async () => {
  const first = await start(SCREEN);
  await first.ask();
  const without = await start({ ...SCREEN, without: true, resume: first.sessionManager });
  await without.ask();
  const back = await start({
    ...SCREEN,
    args: ["--tools", "-ptc_workflow"],
    resume: first.sessionManager,
  });
  expect(await offered(back)).toEqual(["ptc_run_code", ...TASKS].toSorted());
});

test("tools that another extension had narrowed stay so in a resumed session", async () => {
  const first = await start({ ...SCREEN, steps: ["one", "two"] });
  await first.ask();
  first.api.setActiveTools(["read"]);
  await first.ask();
  const later = await start({ ...SCREEN, resume: first.sessionManager });
  expect(await offered(later)).toEqual(["read"]);
});

test("a reload keeps mode and surface, and takes up settings that changed", async () => {
  const pi = await start({ ...SCREEN, steps: [] });
  await pi.command("/ptc off");
  await pi.session.reload();
  expect(await offered(pi)).toEqual([...BUILT_INS, ...TASKS].toSorted());
  pi.write(`${pi.agentDir}/ptc.json`, { surfaceMode: "subagents" });
  await pi.session.reload();
  expect(await offered(pi)).toEqual([...BUILT_INS, "ptc_subagent", ...TASKS].toSorted());
  pi.write(`${pi.agentDir}/ptc.json`, { surfaceMode: "off" });
  await pi.session.reload();
  expect(await offered(pi)).toEqual(BUILT_INS);
  pi.write(`${pi.agentDir}/ptc.json`, {});
  await pi.session.reload();
  expect(await offered(pi)).toEqual([...BUILT_INS, ...TASKS].toSorted());
  expect(pi.stderr).toEqual([]);
});
