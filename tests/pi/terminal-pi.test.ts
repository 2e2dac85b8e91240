/** A real pi on a pseudo-terminal, from start to end. */

import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { workersIn } from "../faults/processes.ts";
import { CALLS_CHILDREN, Family, subagent } from "./family.ts";
import { program } from "./real-pi.ts";
import { TerminalPi } from "./terminal-pi.ts";

/** A shell as a user's: it says whether the terminal is as it was before pi. */
const SHELL = [
  "sh",
  "-c",
  'b=$(stty -g); "$0" "$@"; c=$?; [ "$b" = "$(stty -g)" ] && echo "tty as before"; exit $c',
];

let family: Family;
beforeAll(async () => {
  family = await Family.open();
}, 60_000);
afterAll(() => family.close());

/** Neither a worker, nor a shell, nor a child. */
async function expectNothingLeft(): Promise<void> {
  const left = (): unknown[] => [...workersIn(family.home.home.cwd), ...family.leftOver];
  await vi.waitFor(() => expect(left()).toEqual([]), { timeout: 10_000, interval: 50 });
}

test("a program's row is seen at 80 and 40 columns, and after /quit the terminal is as it was and nothing is left", async () => {
  const { home } = family.home;
  const steps = [[program("return 40 + 7", { description: "Parcels" })]];
  const start = { ...family.home.command({ steps }), wrap: SHELL };
  await using terminal = await TerminalPi.open(home, start);
  const { screen } = terminal;
  expect(screen.size).toEqual({ columns: 80, rows: 30 });
  expect(screen.isAlternate).toBe(true);
  expect(screen.changedModes()).toContain("?2004");

  await terminal.submit("weigh them");
  await terminal.waitFor(/Parcels[^]*\b47\b[^]*\bdone\b/);
  await terminal.resize({ columns: 40, rows: 30 });
  expect(screen.text()).toMatch(/^─{40}$/m);
  expect(screen.text()).toMatch(/Parcels[^]*\b47\b[^]*\bdone\b/);
  await terminal.resize({ columns: 80, rows: 30 });
  expect(screen.text()).toMatch(/^─{80}$/m);
  expect(screen.cells(/─+/)).toHaveLength(80);

  await terminal.submit("/quit");
  expect(await terminal.ended).toBe(0);
  expect(screen.text()).toMatch(/\b47\b[^]*\ntty as before$/m);
  expect(screen.changedModes()).toEqual([]);
  expect(screen.isAlternate).toBe(false);
  await expectNothingLeft();
}, 60_000);

test("a parent on the loopback model starts a child from its own screen, and Escape ends both", async () => {
  const { home } = family.home;
  family.answers.set("wait for ever", () => ({ hang: true }));
  family.answers.set("ask a child", () => {
    const { name, args } = subagent({ task: "wait for ever" });
    return { calls: [[name, args]] };
  });
  await using terminal = await TerminalPi.open(home, family.command(CALLS_CHILDREN));
  await terminal.submit("ask a child");
  await terminal.waitFor(() => family.server.turns.some(({ task }) => task.includes("wait for ever")));
  await terminal.waitFor(/Working/);
  expect(family.leftOver).not.toEqual([]);
  terminal.press("escape");
  const said = /peration (?:was )?aborted/;
  await terminal.waitFor(said);
  expect(new Set(terminal.screen.cells(said).map(({ foreground }) => foreground))).toEqual(new Set([1]));
  await vi.waitFor(() => expect(family.leftOver).toEqual([]), { timeout: 10_000, interval: 50 });
  terminal.press("ctrl+d");
  expect(await terminal.ended).toBe(0);
  await expectNothingLeft();
}, 60_000);

test("what is not shown is told with the screen, and keys that would merge or come too late throw", async () => {
  await using terminal = await TerminalPi.open(family.home.home, family.command());
  await expect(terminal.waitFor(/no such text/, 50)).rejects.toThrow(
    /not shown: \/no such text\/[^]*80x30\n┌─/,
  );
  terminal.press("escape");
  expect(() => terminal.type("x")).toThrow("Alt");
  const never = terminal.waitFor(/no such text/);
  terminal.kill();
  await expect(never).rejects.toThrow("pi ended with SIGKILL, not shown");
  expect(await terminal.ended).toBe("SIGKILL");
  expect(terminal.screen.changedModes()).toContain("?2004");
  expect(() => terminal.type("x")).toThrow("pi ended with SIGKILL");
}, 60_000);

test("a frame that is half drawn is not looked at", async () => {
  const script = `
    process.stdin.setRawMode(true);
    process.stdin.once("data", () => {
      process.stdout.write("\\x1b[2J\\x1b[Hwhole\\x1b[?2026l");
      process.stdin.pause();
    });
    process.stdout.write("\\x1b[?2026hhalf");`;
  const wrap = [process.execPath, "-e", script, "--"];
  await using terminal = new TerminalPi(family.home.home, { ...family.command(), wrap });
  await expect(terminal.waitFor(/half/, 500)).rejects.toThrow("│half ");
  terminal.press("enter");
  await terminal.waitFor(/^whole$/m);
  expect(await terminal.ended).toBe(0);
}, 60_000);
