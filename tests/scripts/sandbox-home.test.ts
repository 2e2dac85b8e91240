import { existsSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { createSandboxHome } from "../../scripts/sandbox-home.ts";

test("a pi in a sandbox home gets nothing of the user's but the terminal", () => {
  vi.stubEnv("ANTHROPIC_API_KEY", "secret");
  vi.stubEnv("NODE_OPTIONS", "--no-warnings");
  vi.stubEnv("PI_CODING_AGENT_DIR", "/somewhere/real");
  vi.stubEnv("TERM", "xterm-test");
  const home = createSandboxHome();
  try {
    expect(Object.values(home.env)).not.toContain("secret");
    expect(home.env).not.toHaveProperty("NODE_OPTIONS");
    expect(home.env).toMatchObject({
      TERM: "xterm-test",
      PI_OFFLINE: "1",
      PI_CODING_AGENT_DIR: home.agentDir,
    });
    for (const name of ["HOME", "TMPDIR", "PI_CODING_AGENT_DIR"]) expect(home.env[name]).toContain(home.root);
  } finally {
    vi.unstubAllEnvs();
    home.remove();
  }
  expect(existsSync(home.root)).toBe(false);
});
