/** Runs once what every program needs, so that a spare has it compiled. */

import { toJson } from "./to-json.ts";
import { compileProgram } from "./run-body.ts";
import { valueText } from "./value-text.ts";

const SAMPLES = [1, "text", [1, 2], { name: "a", items: [{ id: 1, tags: ["x"] }, null], text: "two\nlines" }];

/** Leaves nothing behind. */
export function rehearse(): void {
  for (const sample of SAMPLES) {
    toJson(sample, { maxBytes: 1_000 });
    for (const piece of valueText(sample)) if (piece === "") break;
  }
  compileProgram({ code: "return 1", loneFunction: false }, "file:///rehearsal.js");
  // Both streams are made when they are first asked for.
  void [process.stdout, process.stderr];
}
