/** The form of a record on disk, checked whenever one is read: files are untrusted. */

import type { TSchema } from "typebox";
import { TASK_STATUSES } from "./record.ts";

/** pi's copy of TypeBox, handed in because built files import no host package. */
export interface TypeBox {
  typebox: Pick<typeof import("typebox"), "Type">;
  /** Makes a check some fifty times faster. */
  typeboxCompile?: Pick<typeof import("typebox/compile"), "Compile">;
  typeboxValue: Pick<typeof import("typebox/value"), "Check">;
}

/** Does `value` have the form of a record? */
export type RecordCheck = (value: unknown) => boolean;

/** A ULID. */
export const TASK_ID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** Makes the check once, when it is first needed. Unknown fields are let through: a newer version may have added them. */
export function createRecordCheck(host: TypeBox): RecordCheck {
  let check: RecordCheck | undefined;
  return (value) => {
    check ??= compiled(host, recordSchema(host.typebox.Type));
    return check(value);
  };
}

function compiled({ typeboxCompile, typeboxValue }: TypeBox, schema: TSchema): RecordCheck {
  const validator = typeboxCompile?.Compile(schema);
  return (value) => (validator ? validator.Check(value) : typeboxValue.Check(schema, value));
}

function recordSchema(type: TypeBox["typebox"]["Type"]): TSchema {
  const text = type.String();
  const count = type.Number({ minimum: 0 });
  const literals = (values: readonly string[]): TSchema =>
    type.Union(values.map((value) => type.Literal(value)));
  const optional = (fields: Record<string, TSchema>): Record<string, TSchema> =>
    Object.fromEntries(Object.entries(fields).map(([key, schema]) => [key, type.Optional(schema)]));
  const usage = { input: count, output: count, cost: count, turns: count };
  const finding = type.Object({ what: text, evidence: text });
  const report = type.Object({
    summary: text,
    findings: type.Array(finding),
    files_touched: type.Array(text),
    usage: type.Optional(type.Object(usage)),
  });
  return type.Object({
    schema: type.Literal(1),
    id: type.String({ pattern: TASK_ID.source }),
    status: literals(TASK_STATUSES),
    label: text,
    agentName: text,
    depth: count,
    createdAt: count,
    startedAt: count,
    transitionAt: count,
    outputBytes: count,
    spawnSource: type.Object({ kind: literals(["model", "program"]), callerId: text }),
    owner: type.Object({
      id: text,
      pid: type.Integer({ minimum: 1 }),
      startedAt: text,
      place: type.Optional(text),
    }),
    ...optional({
      finishedAt: count,
      durationMs: count,
      outputPreview: text,
      stopReason: text,
      stoppedBy: literals(["model", "person"]),
      errorMessage: text,
      exitCode: type.Number(),
      signal: text,
      parentTaskId: text,
      sessionFile: text,
      pid: type.Integer({ minimum: 1 }),
      pidStartedAt: text,
      usage: type.Object({ ...usage, cacheRead: count, cacheWrite: count }),
      report,
      reportChannel: literals(["tool", "prompt-json", "none", "opted-out"]),
      readOnlyTier: type.Literal("enforced"),
      warnings: type.Array(text),
    }),
  });
}
