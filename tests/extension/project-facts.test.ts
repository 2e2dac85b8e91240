/** What pi loaded of a project (spec 2.3): a child gets it where the project is trusted, and no child starts where it cannot be known. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as codingAgent from "@earendil-works/pi-coding-agent";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Host } from "../../src/extension/host.ts";
import { projectFacts } from "../../src/extension/project-facts.ts";

let dir: string;
let cwd: string;
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "ptc-facts-")));
  cwd = join(dir, "work");
  for (const folder of ["work", "agent/extensions"]) mkdirSync(join(dir, folder), { recursive: true });
  vi.stubEnv("PI_CODING_AGENT_DIR", join(dir, "agent"));
  vi.stubEnv("HOME", dir);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(dir, { recursive: true, force: true });
});

const facts = (trusted: boolean, more: object = {}) =>
  projectFacts({ codingAgent: { ...codingAgent, ...more } } as unknown as Host, {
    cwd,
    isProjectTrusted: () => trusted,
  });
const put = (path: string, text = "export default () => {};\n"): string => {
  mkdirSync(join(dir, path, ".."), { recursive: true });
  writeFileSync(join(dir, path), text);
  return join(dir, path);
};

test("a trusted project's extensions are found, by absolute path, and not the user's own", async () => {
  const own = put("work/.pi/extensions/gate.ts");
  const listed = put("work/tools/lint.ts");
  put("work/.pi/settings.json", JSON.stringify({ extensions: ["../tools/lint.ts"] }));
  put("agent/extensions/mine.ts");
  const found = await facts(true);
  expect(found).toMatchObject({ trusted: true });
  expect(found.extensions.toSorted()).toEqual([own, listed].toSorted());
  expect(found).not.toHaveProperty("problem");
});

test("a project that pi does not trust has nothing for a child", async () => {
  put("work/.pi/extensions/gate.ts");
  expect(await facts(false)).toEqual({ trusted: false, extensions: [] });
});

test("trust in a folder where there was nothing to trust is none: what is written there later was never looked at", async () => {
  expect(await facts(true)).toEqual({ trusted: false, extensions: [] });
});

test("extensions that cannot be found are a problem, not a rejection", async () => {
  put("work/.pi/extensions/gate.ts");
  class DefaultPackageManager {
    resolve(): never {
      throw new Error("settings.json is locked");
    }
  }
  const found = await facts(true, { DefaultPackageManager });
  expect(found).toMatchObject({ trusted: false, extensions: [] });
  expect(found.problem).toBe("the extensions of this project cannot be found (settings.json is locked)");
});
