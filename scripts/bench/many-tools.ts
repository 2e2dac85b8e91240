/** An extension for the bench of surfaces: 200 tools, and the time that preparing a loadout takes, in `BENCH_LOADOUTS`. */

import { writeFileSync } from "node:fs";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";

/** Milliseconds of each preparation: of the set that is active, and of one that differs from the last. */
export interface LoadoutTimes {
  same: number[];
  changed: number[];
}

const TOOLS = 200;
const TIMES = 300;

export default function manyTools(pi: ExtensionAPI): void {
  for (let number = 0; number < TOOLS; number += 1) {
    pi.registerTool({
      name: `many_${number}`,
      label: `many ${number}`,
      description: `Does thing number ${number} with a path and a few words.`,
      promptSnippet: `Do thing ${number}`,
      parameters: Type.Object({
        path: Type.String({ description: "Where" }),
        words: Type.Optional(Type.Array(Type.String())),
      }),
      // A half that the model sees, and a half that only programs call.
      exposure: number % 2 === 0 ? "direct" : "codemode",
      execute: async () => ({ content: [{ type: "text", text: "ok" }], details: undefined }),
    });
  }
  pi.on("before_agent_start", () => {
    const active = pi.getActiveTools();
    const fewer = active.filter((name) => name !== "many_0");
    const timed = (sets: string[][]): number[] =>
      Array.from({ length: TIMES }, (_, time) => {
        const startedAt = performance.now();
        pi.setActiveTools(sets[time % sets.length] ?? []);
        return performance.now() - startedAt;
      });
    const times: LoadoutTimes = { same: timed([active]), changed: timed([fewer, active]) };
    writeFileSync(process.env["BENCH_LOADOUTS"] ?? "", JSON.stringify(times));
  });
}
