/** `bench [area]`: measures and prints one line a figure; exits 0 whatever the figures are. */

import { build } from "./build.ts";
import { benchChildren } from "./bench/children.ts";
import { benchEngine } from "./bench/engine.ts";
import { benchJobs } from "./bench/jobs.ts";
import { benchPrograms } from "./bench/programs.ts";
import { benchRows } from "./bench/rows.ts";
import { benchSurface } from "./bench/surface.ts";
import { benchTasks } from "./bench/tasks.ts";

const AREAS: Record<string, () => Promise<void>> = {
  programs: benchPrograms,
  children: benchChildren,
  engine: benchEngine,
  tasks: benchTasks,
  rows: benchRows,
  surface: benchSurface,
  jobs: benchJobs,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((area) => !Object.hasOwn(AREAS, area));
if (unknown.length > 0) {
  console.error(`bench: unknown area ${unknown.join(", ")}; areas: ${Object.keys(AREAS).join(", ")}`);
  process.exit(2);
}
await build();
for (const [area, bench] of Object.entries(AREAS)) {
  if (wanted.length === 0 || wanted.includes(area)) await bench();
}
