/**
 * `draw-rows`: makes the pictures of docs/rows.md from the screen of a real pi, driven through a pseudo-terminal with a
 * scripted model.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Family } from "../tests/pi/family.ts";
import { QuickChildren } from "../tests/pi/quick-children.ts";
import { TerminalPi } from "../tests/pi/terminal-pi.ts";
import { build } from "./build.ts";
import { screenSvg } from "./rows/screen-svg.ts";

const PICTURES = join(dirname(import.meta.dirname), "docs", "pictures");
const SIZE = { columns: 90, rows: 44 };
const ALT_T = "\u001bt";

const waitFor = (file: string): string =>
  `while [ ! -e ${file} ]; do sleep 0.05; done; echo scanned 120 files`;
const PROGRAM = `const seen = await tools.bash({ command: ${JSON.stringify(waitFor("go"))} });
await tools.bash({ command: "cat notes.md" }).catch(() => 0);
console.log(seen.content[0].text.trim());
return { file: "chat-viewport.ts", instantiations: [23, 47, 91].map((line) => ({ file: "chat-viewport.ts", line })), totalLines: 47 };`;
const IN_BACKGROUND = `return await tools["pi.dispatch"]({ label: "watch the tests", task: "Watch the tests", background: true });`;
const FAN_OUT = `const parts = ["auth", "storage", "api", "screen", "tasks"];
return await Promise.all(parts.map((part) => tools["pi.dispatch"]({ label: "review " + part, task: "Review " + part })));`;

await build();
mkdirSync(PICTURES, { recursive: true });
const family = await Family.open();
try {
  await drawProgram();
  await drawChildren();
} finally {
  await family.close();
}

function plays(prompt: string, calls: [name: string, args: object][]): void {
  family.answers.set(prompt, ({ results }) => {
    const call = calls[results.length];
    return call ? { calls: [call] } : "Done.";
  });
}

async function drawProgram(): Promise<void> {
  plays("find the instantiations", [
    ["ptc_run_code", { code: PROGRAM, description: "Find AssistantMessageComponent instantiations" }],
    [
      "ptc_run_code",
      { code: "const data = undefined;\nreturn data.length;", description: "Count what was found" },
    ],
  ]);
  await using pi = await TerminalPi.open(family.home.home, { ...family.command(), size: SIZE });
  await pi.submit("find the instantiations");
  await pi.waitFor(/● bash running [1-9]/);
  save(pi, "program-running", /PTC {2}Find/);
  writeFileSync(join(family.home.home.cwd, "go"), "");
  await pi.waitFor(/Done\./);
  save(pi, "program-done", /PTC {2}Find/);
  pi.press("ctrl+o");
  await pi.waitFor(/error, exception/);
  save(pi, "program-expanded", /PTC {2}Find/);
  await quit(pi);
}

async function drawChildren(): Promise<void> {
  const children = new QuickChildren(family.home.home.root);
  children.hold();
  family.home.settings({ command: children.command });
  family.answers.set("<bg-task-notifications", () => "Noted.");
  plays("review everything", [
    ["ptc_run_code", { code: IN_BACKGROUND, description: "Have the tests watched" }],
    ["ptc_run_code", { code: FAN_OUT, description: "Review five parts side by side" }],
  ]);
  const sessions = join(family.home.home.root, "sessions");
  mkdirSync(sessions);
  await using pi = await TerminalPi.open(family.home.home, { ...family.command([], sessions), size: SIZE });
  await pi.submit("review everything");
  await pi.waitFor(/review tasks · starting +• [2-9]s/);
  save(pi, "children", /PTC {2}Have/);
  pi.type(ALT_T);
  await pi.waitFor(/children and tasks/);
  pi.press("down", "down");
  await pi.waitFor(/→ ● default review api/);
  pi.type("s");
  await pi.waitFor(/Stop review api/);
  save(pi, "panel", /── children and tasks/);
  pi.type("y");
  await pi.waitFor(/5 running/);
  pi.press("escape");
  await pi.waitFor((screen) => !screen.text().includes("children and tasks"));
  children.finish();
  await pi.waitFor(/✓ succeeded[^]*Noted\./);
  save(pi, "notice", /background task ended/);
  await quit(pi);
}

/** The rows from the first match on, down to the editor, or to the panel that stands in its place. */
function save({ screen }: TerminalPi, name: string, from: RegExp): void {
  const rows = screen.rows();
  const first = Math.max(0, rows.findIndex((row) => from.test(row)) - 1);
  const rules = rows.flatMap((row, y) => (/^─.*─$/.test(row) ? [y] : []));
  const isPanel = rows[rules.at(-2) ?? 0]?.includes("children and tasks") === true;
  const end = isPanel ? (rules.at(-1) ?? 0) + 1 : (rules.at(-2) ?? rows.length);
  const last = rows.findLastIndex((row, y) => y < end && row.trim() !== "");
  writeFileSync(join(PICTURES, `${name}.svg`), screenSvg(screen, { from: first, to: last + 1 }));
  console.log(`docs/pictures/${name}.svg`);
}

async function quit(pi: TerminalPi): Promise<void> {
  await pi.submit("/quit");
  await pi.ended;
}
