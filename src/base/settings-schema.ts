/** What `ptc.json` may hold. The schema that ships for editors is written from this one (`scripts/write-schema.ts`). */

import type { TObject, TSchema } from "typebox";
import { LIMIT_RANGES, MAX_TIMER_MS, type NumberRange } from "./limits.ts";
import { RETENTION_RANGES } from "./retention-ranges.ts";

/** pi's copy of TypeBox, handed in because built files import no host package. */
export interface TypeBox {
  typebox: Pick<typeof import("typebox"), "Type">;
  typeboxValue: Pick<typeof import("typebox/value"), "Check">;
}

type TypeBuilder = TypeBox["typebox"]["Type"];

const CLOSED = { additionalProperties: false };

/** Schema of the file. Each leaf's `description` says, after "it must be", what is accepted. */
export function settingsSchema(type: TypeBuilder): TObject {
  const oneOf = (values: string[]): TSchema =>
    type.Optional(
      type.Union(
        values.map((value) => type.Literal(value)),
        { description: values.map((value) => JSON.stringify(value)).join(" or ") },
      ),
    );
  const either = type.Optional(type.Boolean({ description: "true or false" }));
  return type.Object(
    {
      // Editors find the shipped schema by it.
      $schema: type.Optional(type.String({ description: "the address of a JSON schema" })),
      defaultMode: either,
      surfaceMode: oneOf(["off", "subagents", "full"]),
      engine: oneOf(["node", "quickjs"]),
      isolation: oneOf(["process", "thread"]),
      limits: limitsSchema(type),
      notify: oneOf(["wake", "steer", "quiet"]),
      declarationBudget: whole(type, 0, 100_000, "tokens"),
      retention: retentionSchema(type),
      printWaitMs: whole(type, 0, MAX_TIMER_MS, "milliseconds"),
      widget: either,
      ...userOnly(type),
    },
    CLOSED,
  );
}

/** Keys that say what is run, which only the user may. */
function userOnly(type: TypeBuilder): Record<string, TSchema> {
  const listOf = (item: TSchema, description: string): TSchema =>
    type.Optional(type.Array(item, { description: `a list of ${description}` }));
  return {
    command: type.Optional(
      type.String({ pattern: "\\S", description: "the absolute path of an executable" }),
    ),
    childArgs: listOf(
      type.String({ pattern: "^[^\\u0000]*$", description: "a string: one argument for pi" }),
      "strings, each one argument for pi",
    ),
    readOnlyTools: listOf(
      type.String({ pattern: "\\S", description: "a string: the name of a tool" }),
      "strings, each the name of a tool",
    ),
  };
}

function limitsSchema(type: TypeBuilder): TSchema {
  const limits = Object.entries(LIMIT_RANGES).map(([key, { min, max, integer }]) => {
    const range = {
      minimum: min,
      maximum: max,
      description: `${integer ? "a whole number" : "a number"} from ${min} to ${max}`,
    };
    return [key, type.Optional(integer ? type.Integer(range) : type.Number(range))] as const;
  });
  return type.Optional(type.Object(Object.fromEntries(limits), CLOSED));
}

function retentionSchema(type: TypeBuilder): TSchema {
  const { outputDays, taskDays, maxTasks } = RETENTION_RANGES;
  const days = ({ min, max }: NumberRange): TSchema =>
    type.Optional(
      type.Number({ minimum: min, maximum: max, description: `a number of days from ${min} to ${max}` }),
    );
  const keys = {
    outputDays: days(outputDays),
    taskDays: days(taskDays),
    maxTasks: whole(type, maxTasks.min, maxTasks.max, "tasks"),
  };
  return type.Optional(type.Object(keys, CLOSED));
}

function whole(type: TypeBuilder, minimum: number, maximum: number, unit: string): TSchema {
  const description = `a whole number of ${unit} from ${minimum} to ${maximum}`;
  return type.Optional(type.Integer({ minimum, maximum, description }));
}
