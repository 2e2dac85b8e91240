/** A child's standard output: bytes, lines, events, the result, and what the model is shown of it. */

import fc from "fast-check";
import { ChildFold } from "../../src/children/fold-events.ts";
import { LineReader } from "../../src/children/line-reader.ts";
import { renderDispatch } from "../../src/children/render-dispatch.ts";
import {
  answer,
  call,
  CLEAN_EXIT,
  opening,
  report,
  settled,
  text,
  toolCall,
  whole,
} from "../children/child-lines.ts";
import { mangledBytes, mangledJson, piecesOf } from "./mangled.ts";
import { countOf, type FuzzTarget, hasControls, must, target } from "./target.ts";

const REPORT = `Done.\n\n\`\`\`json\n${JSON.stringify(report)}\n\`\`\`\n`;
const LINES = [
  ...whole(
    ...answer([text("Let me look."), toolCall("c1", "bash")], { stopReason: "toolUse" }),
    ...call("c1", "bash"),
    ...call("c2", "ptc_child_report", { result: { structuredContent: report } }),
    ...answer([text(REPORT)]),
  ),
  ...answer([text("no")], { stopReason: "error", errorMessage: "429" }),
  ...opening(),
  settled(),
].flat();
const EVENTS = LINES.map((line) => JSON.parse(line) as unknown);

const line = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...LINES) },
  { weight: 3, arbitrary: mangledJson(...EVENTS).map((event) => JSON.stringify(event) ?? "") },
  { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
);
const stream = fc
  .array(fc.tuple(line, fc.constantFrom("\n", "\n", "\n", "\r\n", "")), { maxLength: 12 })
  .map((lines) => Buffer.from(lines.flat().join("")));

function foldStream({ bytes, sizes }: { bytes: Buffer; sizes: readonly number[] }): void {
  const fold = new ChildFold();
  const reader = new LineReader({
    maxLineBytes: 4_096,
    onLine: (one) => fold.line(one),
    onSkipped: (reason, size) => fold.skipped(reason, size),
  });
  for (const piece of piecesOf({ bytes, sizes })) reader.push(piece);
  reader.end();
  const { lastText } = fold.progress();
  must(!hasControls(lastText) && !lastText.includes("\n"), "what a row shows is one line");
  const result = fold.conclude(CLEAN_EXIT, { stderrTail: "", reportExpected: true });
  must(result.status === "fulfilled" || result.status === "rejected", "a child ends one way or the other");
  must(result.status === "fulfilled" || Boolean(result.errorMessage), "a failure has a reason");
  for (const amount of Object.values(result.usage ?? {}))
    must(Number.isFinite(amount) && amount >= 0, "what was used is a number");
  must(
    (result.report === undefined) === !["tool", "prompt-json"].includes(result.reportChannel),
    "a report has a channel",
  );
  const shown = renderDispatch({ ...result, started: true, agentName: "a", durationMs: 1 });
  must(countOf(shown, "</pi-ptc-report>") === (result.report ? 1 : 0), "no child closes our tag");
}

export const childEvents = (): FuzzTarget => target("child events", mangledBytes(stream), foldStream);
