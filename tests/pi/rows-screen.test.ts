/** What a person sees of programs, children, notices and tasks in a real pi, in its cells (spec 5). */

import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { workersIn } from "../faults/processes.ts";
import { leavesNothing, TaskHome, TRIES } from "./task-home.ts";
import { TerminalPi } from "./terminal-pi.ts";

const WIDE = { columns: 80, rows: 40 };
const NARROW = { columns: 40, rows: 40 };
/** The key of the panel. */
const ALT_T = "\u001bt";
/** pi's theme on a terminal that tells no colours. */
const [RED, GREEN] = [1, 2];

let home: TaskHome;
beforeAll(async () => {
  home = await TaskHome.open();
}, 60_000);
beforeEach(() => home.begin());
afterAll(() => home.family.close());

const open = (args: string[] = [], size = WIDE): Promise<TerminalPi> =>
  TerminalPi.open(home.family.home.home, { ...home.family.command(args, home.sessions), size });

/** The model makes these calls one after the other, then says `all done`. */
function plays(prompt: string, calls: [name: string, args: object][]): void {
  home.family.answers.set(prompt, ({ results }) => {
    const call = calls[results.length];
    return call ? { calls: [call] } : "all done";
  });
}

const program = (code: string, description: string): [string, object] => [
  "ptc_run_code",
  { code, description },
];
const waitsFor = (file: string): string => `while [ ! -e ${file} ]; do sleep 0.05; done; echo hi`;
const touch = (file: string): void => writeFileSync(join(home.family.home.home.cwd, file), "");

async function quit(pi: TerminalPi): Promise<void> {
  await pi.submit("/quit");
  expect(await pi.ended).toBe(0);
  expect(pi.screen.changedModes()).toEqual([]);
  await leavesNothing(home.family);
  await vi.waitFor(() => expect(workersIn(home.family.home.home.cwd)).toEqual([]), TRIES);
}

/** No row of the screen passes its edge, and none holds what no row may hold. */
function expectClean({ screen }: TerminalPi): void {
  for (const row of screen.rows()) expect(row).not.toMatch(/[\u0000-\u001f\u007f-\u009f]|\[[0-9;]*m|bg-task/);
}

test("a program is seen running, finished and failed, at 80 and at 40 columns", async () => {
  plays("watch me", [
    program(
      `const r = await tools.bash({ command: ${JSON.stringify(waitsFor("go-1"))} }); return { said: r.content[0].text.trim(), 漢字: [1, 2, 3], deep: { list: [{ a: 1 }, { b: 2 }] } }`,
      "Wait for the first file",
    ),
    program(
      `await tools.bash({ command: "exit 3" }).catch(() => 0); throw new Error("nothing to see")`,
      "Fail in the end",
    ),
  ]);
  await using pi = await open();
  const { screen } = pi;
  await pi.submit("watch me");
  await pi.waitFor(/PTC {2}Wait for the first file[^]*1 call[^]*● bash running [\d.]+m?s {2}while/);
  const title = (): boolean[] => screen.cells(/Wait for the first file/).map(({ bold }) => bold);
  await pi.waitFor(() => title().filter(Boolean).length === 1);
  const bright = title().indexOf(true);
  await pi.waitFor(() => title().filter(Boolean).length === 1 && title().indexOf(true) !== bright);
  await pi.resize(NARROW);
  await pi.waitFor(/● bash running/);
  expectClean(pi);
  await pi.resize(WIDE);

  touch("go-1");
  await pi.waitFor(/PTC {2}Fail in the end[^]*failed: nothing to see/);
  await pi.waitFor(/all done/);
  expect(screen.text()).toMatch(
    /├─ said: "hi" +• [\d.]+m?s\n +├─ 漢字: \[1, 2, 3\]\n +├─ deep: Object\(1\)\n +│ {2}└─ list: Array\(2\)\n +│ {5}├─ \[0\] \{a: 1\}\n +│ {5}└─ \[1\] \{b: 2\}\n +└─ 1 call\n +└─ ✓ bash ok [\d.]+m?s {2}while/,
  );
  expect(screen.text()).toMatch(/1 call · 1 failed\n +└─ ✗ bash failed [\d.]+m?s {2}exit 3/);
  expect(screen.cells(/failed: nothing to see/)[0]?.foreground).toBe(RED);
  expect(screen.cells(/✓ bash ok/)[0]?.foreground).toBe(GREEN);
  await pi.resize(NARROW);
  await pi.waitFor(/failed: nothing to see +• [\d.]+m?s/);
  expectClean(pi);
  await pi.resize(WIDE);

  pi.press("ctrl+o");
  await pi.waitFor(/error, exception \(\d+\)[^]*nothing to see/);
  expect(screen.text()).toMatch(/├─ code \(1\)/);
  await quit(pi);
}, 90_000);

test("eight children are live in the widget; one is stopped from the panel and the others go on", async () => {
  plays("fan out", [
    program(
      `const all = await Promise.all(Array.from({ length: 8 }, (_, i) => tools["pi.dispatch"]({ task: "part " + i, label: "part " + i }))); return all.map((one) => one.status)`,
      "Ask eight children",
    ),
  ]);
  await using pi = await open();
  const { screen } = pi;
  await pi.submit("fan out");
  const inWidget = (): number => screen.rows().filter((row) => /^ *● default part \d · /.test(row)).length;
  await pi.waitFor(() => inWidget() === 8);
  await pi.waitFor(/● default part 7 · starting +• [1-9]\d*s/);
  await pi.resize(NARROW);
  await pi.waitFor(() => inWidget() === 8);
  expectClean(pi);
  await pi.resize(WIDE);
  await pi.waitFor(() => inWidget() === 8);

  pi.type(ALT_T);
  await pi.waitFor(/children and tasks · 8 running/);
  pi.press("down", "down");
  await pi.waitFor(/→ ● default part 2/);
  pi.type("s");
  await pi.waitFor(/Stop part 2\? y yes · n no/);
  pi.type("y");
  await pi.waitFor(/children and tasks · 7 running/);
  await pi.waitFor(/✗ pi\.dispatch rejected [\d.]+m?s {2}→ default: part 2 · stopped by the pers…/);
  pi.press("escape");
  await pi.waitFor((shown) => !shown.text().includes("children and tasks"));
  await pi.waitFor(() => inWidget() === 7);
  home.children.finish();
  await pi.waitFor(/all done/);
  await pi.waitFor(/8 children ended · \$0\.0700/);
  expect(inWidget()).toBe(0);
  expect(screen.text()).toMatch(/8 calls · 1 failed/);
  plays("go on", []);
  await pi.submit("go on");
  await pi.waitFor((shown) => !shown.text().includes("children ended"));
  await quit(pi);
}, 90_000);

test("tasks are watched, opened and stopped in the panel, and their notice is a compact row", async () => {
  const start = `const start = (task) => tools["pi.dispatch"]({ task, label: task, background: true });
    return [await start("job one"), await start("job two")].map(({ label, status }) => ({ label, status }));`;
  plays("start two", [program(start, "Start two"), ["ptc_task_list", {}]]);
  await using pi = await open();
  const { screen } = pi;
  await pi.submit("start two");
  await pi.waitFor(/all done/);
  expect(screen.text()).toMatch(/\[1\] \{label: "job two", status: "running"\}/);
  expect(screen.text()).toMatch(
    /Tasks\n +● running {2}job two default +• at \ds\n +● running {2}job one default +• at \ds/,
  );

  pi.type(ALT_T);
  await pi.waitFor(/→ ● running {2}job two default/);
  pi.press("enter");
  await pi.waitFor(/no output yet/);
  await pi.resize(NARROW);
  await pi.waitFor(/s stop · esc back/);
  expectClean(pi);
  await pi.resize(WIDE);
  pi.type("s");
  await pi.waitFor(/Stop job two\?/);
  pi.type("n");
  await pi.waitFor((shown) => !shown.text().includes("Stop job two?"));
  pi.type("s");
  await pi.waitFor(/Stop job two\?/);
  pi.type("y");
  await pi.waitFor(/⊘ canceled {2}job two/);
  pi.press("escape");
  await pi.waitFor(/enter open/);
  pi.press("escape");
  await pi.waitFor((shown) => !shown.text().includes("children and tasks"));
  await pi.waitFor(/PTC {2}1 background task ended\n +⊘ canceled {2}job two default/);

  // The last one ends while it is looked at.
  pi.type(ALT_T);
  await pi.waitFor(/children and tasks · 1 running/);
  home.children.finish();
  await pi.waitFor(/children and tasks · 0 running[^]*✓ succeeded {2}job one/);
  pi.press("escape");
  await pi.waitFor(/PTC {2}1 background task ended\n +✓ succeeded {2}job one default +• \d+ B · /);
  expectClean(pi);
  pi.press("ctrl+o");
  await pi.waitFor(/✓ succeeded {2}job one[^\n]*\n +answer of job one/);
  await quit(pi);
}, 90_000);

test("a program whose pi was killed shows as interrupted when the session is resumed", async () => {
  plays("run long", [
    program(`await tools.bash({ command: ${JSON.stringify(waitsFor("never"))} })`, "Wait for ever"),
  ]);
  {
    await using pi = await open();
    await pi.submit("run long");
    await pi.waitFor(/● bash running/);
    pi.kill();
    await pi.ended;
    // A killed pi leaves its commands behind.
    touch("never");
  }
  await using resumed = await open(["--continue"]);
  await resumed.waitFor(/PTC {2}Wait for ever\n +interrupted: pi ended before it did/);
  expect(existsSync(home.sessions) && readdirSync(home.sessions).length).toBeGreaterThan(0);
  await quit(resumed);
}, 90_000);
