/**
 * The model of a job: plays the steps of the file `PTC_STEPS`, and answers as a child with the job that `BENCH_JOB` names.
 * Each request is appended to `PTC_REQUESTS` with what a provider would be sent.
 */

import { appendFileSync, readFileSync } from "node:fs";
import type { FauxScript } from "../../../tests/fixtures/faux-model.ts";
import type { Step } from "../../../tests/fixtures/steps-script.ts";
import { KEPT_BY_PI } from "../../demo/model-script.ts";
import { JOBS } from "./all.ts";

/** One request of the parent or a child. */
export interface SentRequest {
  isChild: boolean;
  /** Characters without those of images. */
  chars: number;
  images: number;
  /** Texts of the tool results in it. */
  results: string[];
}

const isChild = process.env["PI_PTC_DEPTH"] !== undefined;
const job = JOBS.find(({ name }) => name === process.env["BENCH_JOB"]);
const steps = isChild ? [] : (JSON.parse(readFileSync(process.env["PTC_STEPS"] as string, "utf8")) as Step[]);
let answered = 0;

const script: FauxScript = ({ context, call, results }) => {
  const { messages } = context;
  let images = 0;
  const sent = JSON.stringify(messages, (key, value: unknown) => {
    if (KEPT_BY_PI.has(key)) return undefined;
    if ((value as { type?: unknown } | null)?.type !== "image") return value;
    images += 1;
    return "";
  });
  const texts = results.map(({ content }) =>
    content.map((block) => ("text" in block ? block.text : "")).join("\n"),
  );
  const request: SentRequest = { isChild, chars: sent.length, images, results: texts };
  appendFileSync(process.env["PTC_REQUESTS"] as string, `${JSON.stringify(request)}\n`);
  if (isChild) return job?.child?.(JSON.stringify(messages)) ?? "done";
  const step = steps[answered++] ?? "done";
  return typeof step === "string" ? step : step.map(({ name, args }) => call(name, args as never));
};

export default script;
