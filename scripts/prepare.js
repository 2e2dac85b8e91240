/**
 * What `npm install` and its like run after they installed. JavaScript, so that a Node that runs no TypeScript can say so: a
 * syntax error would keep pi from installing the package at all.
 */

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

if (process.features.typescript) {
  const { main } = await import("./prepare.ts");
  await main();
} else {
  console.error(
    `prepare: Node ${process.versions.node} cannot build dist, Node 22.19 or newer can: the tools are missing until \`npx pnpm@12 build\` was run in ${ROOT}`,
  );
  // Without what builds it, it may be of another commit.
  if (!existsSync(join(ROOT, "node_modules/rolldown")))
    rmSync(join(ROOT, "dist"), { recursive: true, force: true });
  if (!["install", "ci", undefined].includes(process.env["npm_command"])) process.exitCode = 1;
}
