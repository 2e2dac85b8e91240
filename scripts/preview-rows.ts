/** `preview [width...]`: prints every state of every row with pi's own theme and box, at 100, 80, 40 and 20 columns or those given. */

import { CustomMessageComponent } from "@earendil-works/pi-coding-agent";
import { Pulse } from "../src/render/pulse.ts";
import { ToolRows } from "../src/render/tool-rows.ts";
import { piRow, type RowSample, SCREEN, useTheme } from "./rows/pi-row.ts";
import { CHILD_SAMPLES, NOTICE, TASK_SAMPLES } from "./rows/child-samples.ts";
import { PROGRAM_SAMPLES } from "./rows/program-samples.ts";

const WIDTHS = [100, 80, 40, 20];

useTheme("dark");
const asked = process.argv.slice(2).map(Number);
if (asked.some((width) => !Number.isInteger(width) || width < 1)) {
  console.error("preview: widths are whole numbers from 1");
  process.exit(2);
}
const widths = asked.length > 0 ? asked : WIDTHS;

for (const sample of [...PROGRAM_SAMPLES, ...CHILD_SAMPLES, ...TASK_SAMPLES])
  show(sample.name, drawer(sample));
for (const isExpanded of [false, true])
  show(isExpanded ? "notice, expanded" : "notice", (width) => noticeRows(isExpanded, width));

function show(name: string, draw: (width: number) => readonly string[]): void {
  for (const width of widths) {
    console.log(`\n${name} · ${width} columns`);
    console.log(draw(width).join("\n"));
  }
}

function drawer(sample: RowSample): (width: number) => readonly string[] {
  const pulse = new Pulse();
  const isLive = sample.isPartial === true;
  if (isLive) pulse.begin(sample.name);
  const row = piRow(sample, pulse);
  pulse.close();
  return (width) => row.render(width);
}

function noticeRows(isExpanded: boolean, width: number): readonly string[] {
  const rows = new ToolRows({ screen: SCREEN, pulse: new Pulse(), isIdle: () => true });
  const message = {
    role: "custom",
    customType: "ptc",
    content: "",
    display: true,
    details: NOTICE,
    timestamp: 0,
  } as const;
  const component = new CustomMessageComponent(message, rows.notice as never);
  component.setExpanded(isExpanded);
  return component.render(width);
}
