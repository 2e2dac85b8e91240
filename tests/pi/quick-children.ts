/**
 * Children that take no second to start: a shell that says what a pi would say once a file is there. For tests of many
 * tasks that end together; the parent is a real pi, and this is its setting `command`.
 */

import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** How the children of one home are played. */
export class QuickChildren {
  /** The setting `command`. */
  readonly command: string;
  readonly #go: string;

  constructor(root: string) {
    this.command = join(root, "quick-child.sh");
    this.#go = join(root, "go");
    writeFileSync(this.command, script(this.#go));
    chmodSync(this.command, 0o755);
  }

  /** All that wait give their answer `answer of <task>` and exit. */
  finish(): void {
    writeFileSync(this.#go, "");
  }

  /** Those that start from now on wait. */
  hold(): void {
    rmSync(this.#go, { force: true });
  }
}

function script(go: string): string {
  const usage = '{"input":10,"output":5,"cacheRead":0,"cacheWrite":0,"totalTokens":15,"cost":{"total":0.01}}';
  const message = `{"role":"assistant","stopReason":"stop","usage":${usage},"content":[{"type":"text","text":"answer of %s"}]}`;
  return [
    "#!/bin/sh",
    "read -r _ task",
    `while [ ! -e '${go}' ]; do sleep 0.05; done`,
    `echo '{"type":"agent_start"}'`,
    `printf '{"type":"message_end","message":${message}}\\n' "$task"`,
    `echo '{"type":"agent_settled","aborted":false}'`,
    "",
  ].join("\n");
}
