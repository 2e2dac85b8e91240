/** Every claim the binding contract makes to the model, run in a real pi. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DEFAULT_CONFIG } from "../../src/base/limits.ts";
import { bindingContract } from "../../src/surface/binding-contract.ts";
import { CLAIMS, errorOf, valueOf } from "./contract-claims.ts";
import { PiHome, type Played, program, type ToolEnd } from "./real-pi.ts";

const CONTRACT = bindingContract(DEFAULT_CONFIG);

test("the claims are all the contract says", () => {
  let rest = CONTRACT;
  for (const piece of CLAIMS.flatMap((claim) => claim.says)) {
    expect(rest).toContain(piece);
    rest = rest.replace(piece, "");
  }
  expect(rest.replace(/\s/g, "")).toBe("");
});

test("the contract takes at most 320 estimated tokens", () =>
  expect(Math.ceil(CONTRACT.length / 4)).toBeLessThanOrEqual(320));

describe("in a real pi", () => {
  let pi: PiHome;
  let played: Played;
  let ends: ToolEnd[][];

  beforeAll(async () => {
    pi = await PiHome.open();
    writeFileSync(join(pi.home.cwd, "secret.txt"), "marker-word");
    const steps = CLAIMS.flatMap(({ code, params }) => code.map((text) => [program(text, params)]));
    played = await pi.play({ extensions: ["kit-extension.ts"], steps });
    let next = 0;
    ends = CLAIMS.map(({ code }) => played.ends.slice(next, (next += code.length)));
  }, 60_000);
  afterAll(() => pi.close());

  test("the model is shown the contract in the description of ptc_run_code", () => {
    expect(played).toMatchObject({ code: 0, stderr: "" });
    const shown = played.requests[0]?.tools.find((tool) => tool.name === "ptc_run_code");
    expect(shown?.description).toContain(CONTRACT);
  });

  test.each(CLAIMS.map((claim, index) => [claim.says.join(" "), claim, index] as const))(
    "%s",
    (_says, claim, index) => {
      expect(ends[index]).toHaveLength(claim.code.length);
      claim.shows(ends[index] ?? [], pi);
    },
  );

  test("the limits named are those of the session, and the default deadline is applied", async () => {
    pi.settings({ limits: { timeoutMs: 300, maxTimeoutMs: 5_000, maxParallelSubCalls: 3, graceMs: 200 } });
    const busy =
      "return (await Promise.all(Array.from({ length: 9 }, () => tools.kit_busy({})))).at(-1).content[0].text";
    const { requests, ends: results } = await pi.play({
      extensions: ["kit-extension.ts"],
      steps: [
        [program("await new Promise(() => setInterval(() => 1, 1000))")],
        [program(busy, { timeoutMs: 5_000 })],
      ],
    });
    const description = requests[0]?.tools.find((tool) => tool.name === "ptc_run_code")?.description;
    expect(description).toContain("At most 3 calls run at once");
    expect(description).toContain("timeoutMs: default 300, at most 5000.");
    expect(errorOf(results[0]).kind).toBe("timeout");
    expect(valueOf(results[1])).toBe("3");
  }, 30_000);
});
