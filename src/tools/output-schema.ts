/** Schema of the program tools' `structuredContent` ({@link ProgramData}). */

import type { TSchema } from "typebox";
import type { RunErrorKind } from "../program/outcome.ts";
import type { TypeBuilder } from "./tool-parts.ts";

const ERROR_KINDS = [
  "compile",
  "exception",
  "timeout",
  "abort",
  "out-of-memory",
  "output-limit",
  "worker-exit",
  "protocol",
  "refused",
] as const satisfies readonly RunErrorKind[];

/** The schema, made with pi's TypeBox. */
export function programOutputSchema(type: TypeBuilder): TSchema {
  const count = (description: string): TSchema => type.Integer({ minimum: 0, description });
  return type.Object({
    ok: type.Boolean(),
    value: type.Optional(type.Unknown({ description: "What the program returned, as JSON" })),
    value_omitted: type.Optional(type.Boolean({ description: "The value's JSON is over 1 MiB" })),
    full_output_path: type.Optional(type.String({ description: "File with the text of an omitted value" })),
    error: type.Optional(
      type.Object({
        kind: type.Union(ERROR_KINDS.map((kind) => type.Literal(kind))),
        message: type.String(),
      }),
    ),
    logs: type.String({ description: "Last 64 KiB of the console lines" }),
    logs_truncated: type.Optional(type.Boolean()),
    duration_ms: type.Number({ minimum: 0 }),
    calls: type.Object({ total: count("Tool calls made"), failed: count("Calls that failed") }),
  });
}
