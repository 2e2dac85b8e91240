/**
 * The tests of programs that a vessel need not pass, and why it cannot. Each entry stands in an ADR as well, by its title:
 * `conformance.test.ts` fails for one that does not, and a suite fails for one that fits none of its tests.
 */

import type { VesselKind } from "../../src/program/request.ts";

/** `node-api`: it tests what only Node has. `thread-kill`: spec 1.6 lists it as what a thread of Node cannot stop. */
export type ExceptionKind = "node-api" | "thread-kill";

export interface VesselException {
  vessel: VesselKind;
  kind: ExceptionKind;
  /** Test file, relative to `tests`. */
  file: string;
  /** Titles as they are reported. */
  titles: readonly string[];
}

export const VESSEL_EXCEPTIONS: readonly VesselException[] = [
  {
    vessel: "quickjs",
    kind: "node-api",
    file: "program/run-program-source.test.ts",
    titles: [
      "may import modules of Node",
      "resolves a bare specifier from its folder",
      "has its folder as working folder",
      "sees only the variables that programs are given",
      "captures writes to the standard streams, whole lines at a time",
    ],
  },
  {
    vessel: "quickjs",
    kind: "node-api",
    file: "program/run-program-endings.test.ts",
    titles: [
      "that calls process.exit(0) fails naming the code and keeps its logs",
      "that calls process.exit(3) fails naming the code and keeps its logs",
    ],
  },
  {
    vessel: "quickjs",
    kind: "node-api",
    file: "program/run-program-containment.test.ts",
    titles: ["that fills memory with wasm memory fails and says so, and the next one runs"],
  },
  {
    vessel: "quickjs",
    kind: "node-api",
    file: "faults/programs-and-results.test.ts",
    titles: [
      "that makes calls after it returned, by what Node has, is good, and none of them leaves",
      "that throws null in a timer without any listener left fails naming it, with all it had printed",
      "that patches its ways to send still reaches pi",
    ],
  },
  {
    vessel: "quickjs",
    kind: "node-api",
    file: "faults/returned-values.test.ts",
    titles: ["that ends with return { u: new URL('http://a.b/c?d') }"],
  },
  {
    vessel: "thread",
    kind: "thread-kill",
    file: "program/run-program-containment.test.ts",
    titles: [
      "that fills memory with an array of 300 million entries fails and says so, and the next one runs",
      "that fills memory with a growing Map fails and says so, and the next one runs",
      "that fills memory with a doubled array fails and says so, and the next one runs",
      "that fills memory with a long list fails and says so, and the next one runs",
      "that fills memory with buffers fails and says so, and the next one runs",
      "that fills memory with wasm memory fails and says so, and the next one runs",
    ],
  },
];
