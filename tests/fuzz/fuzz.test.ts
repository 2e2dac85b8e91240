/** Some thousand inputs that are nearly right, the same each time; `pnpm fuzz` tries many more. */

import { expect, test } from "vitest";
import { fuzz } from "./target.ts";
import { FUZZ_TARGETS } from "./targets.ts";

const CASES = 2_000;
const SEED = 20_261_130;

test.each(FUZZ_TARGETS.map((open) => [open.name, open] as const))(
  "%s of any kind break nothing",
  async (_name, open) => {
    const target = open();
    try {
      expect(await fuzz(target, { cases: CASES, seed: SEED })).toBe(CASES);
    } finally {
      target.close?.();
    }
  },
);
