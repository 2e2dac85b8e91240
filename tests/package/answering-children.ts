/** Children for the examples of the pages: every one gives the same answer at once. */

import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { vi } from "vitest";
import { CHECKOUT } from "./packed.ts";

/** What every child reports. */
export const ANSWERED_REPORT = {
  summary: "s",
  findings: [{ what: "a bug", evidence: "seen" }],
  files_touched: [],
};

/** Lets every child that `body` starts answer with the report, and gives it the agents of docs/agents. `folder` holds what that takes. */
export async function withAnsweringChildren<Result>(
  folder: string,
  body: () => Promise<Result>,
): Promise<Result> {
  const text = `Here it is.\n\n\`\`\`json\n${JSON.stringify(ANSWERED_REPORT)}\n\`\`\`\n`;
  const message = { role: "assistant", content: [{ type: "text", text }], stopReason: "stop", usage: null };
  const events = [
    { type: "message_end", message },
    { type: "agent_settled", aborted: false },
  ];
  const [command, script] = [join(folder, "child"), join(folder, "child.json")];
  const out = events.map((event) => `${JSON.stringify(event)}\n`).join("");
  writeFileSync(script, JSON.stringify([{ out }]));
  const scripted = join(CHECKOUT, "tests/fixtures/scripted-child.ts");
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${scripted}'\n`, { mode: 0o755 });
  cpSync(join(CHECKOUT, "docs/agents"), join(folder, "agents"), { recursive: true });
  vi.stubEnv("PI_PTC_COMMAND", command);
  vi.stubEnv("PTC_CHILD_SCRIPT", script);
  vi.stubEnv("PI_CODING_AGENT_DIR", folder);
  try {
    return await body();
  } finally {
    vi.unstubAllEnvs();
  }
}
