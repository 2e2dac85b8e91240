/** The steps script at the pace of a model: it answers after a while, so that a spare is up before each call. */

import { setTimeout as sleep } from "node:timers/promises";
import type { FauxScript } from "../../tests/fixtures/faux-model.ts";
import play from "../../tests/fixtures/steps-script.ts";

const PACE_MS = Number(process.env["BENCH_PACE_MS"] ?? 300);

const script: FauxScript = async (turn) => {
  await sleep(PACE_MS);
  return play(turn);
};

export default script;
