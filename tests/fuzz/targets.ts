/** Everything that is fuzzed. */

import { childEvents } from "./child-events.ts";
import { agentFiles, settingsFiles, taskFiles } from "./files.ts";
import { reportText } from "./report-text.ts";
import type { FuzzTarget } from "./target.ts";
import { workerFrames } from "./worker-frames.ts";

/** Makes each when it is its turn. */
export const FUZZ_TARGETS: readonly (() => FuzzTarget)[] = [
  workerFrames,
  childEvents,
  taskFiles,
  settingsFiles,
  agentFiles,
  reportText,
];
