/** The jobs that are measured. */

import { fix } from "./fix.ts";
import { images } from "./images.ts";
import type { Job } from "./job.ts";
import { review } from "./review.ts";
import { survey } from "./survey.ts";
import { triage } from "./triage.ts";

export const JOBS: readonly Job[] = [survey, fix, triage, review, images];
