/** Answers of the scripted model in a soak: the steps of the file `PTC_STEPS` in the parent, `done` in every child. */

import { readFileSync } from "node:fs";
import type { FauxScript } from "../../tests/fixtures/faux-model.ts";
import type { Step } from "../../tests/fixtures/steps-script.ts";

const isChild = process.env["PI_PTC_DEPTH"] !== undefined;
const steps = isChild ? [] : (JSON.parse(readFileSync(process.env["PTC_STEPS"] as string, "utf8")) as Step[]);
let answered = 0;

const script: FauxScript = ({ call }) => {
  const step = steps[answered++] ?? "done";
  return typeof step === "string" ? step : step.map(({ name, args }) => call(name, args as never));
};

export default script;
