/** The program's `tools`: one entry a binding, and a helpful rejection for every other name. */

import { identifierForm, isPlainName } from "../base/identifier-form.ts";
import { nearestName } from "../base/nearest-name.ts";
import { type PendingCalls, ToolCallError } from "./pending-calls.ts";
import { plainFailure } from "./protocol.ts";

const MAX_LISTED = 60;

/** Builds the `tools` object. It is no thenable, and neither its entries nor its prototype can be changed. */
export function createToolsTable(bindings: readonly string[], calls: PendingCalls): object {
  const entries = new Map<string, (args?: unknown) => Promise<unknown>>();
  for (const name of bindings) {
    entries.set(name, (args) => calls.ask({ what: "call", name, args: args === undefined ? {} : args }));
  }
  const aliases = new Map<string, string | undefined>();
  for (const name of bindings.filter((candidate) => !isPlainName(candidate))) {
    const form = identifierForm(name);
    aliases.set(form, aliases.has(form) || entries.has(form) ? undefined : name);
  }
  for (const [form, name] of aliases) {
    const entry = name === undefined ? undefined : entries.get(name);
    if (entry) entries.set(form, entry);
  }
  // A frozen property could not be answered with undefined below.
  const visible = [...entries].filter(([name]) => name !== "then" && name !== "toJSON");
  const target = Object.assign(Object.create(null) as object, Object.fromEntries(visible));
  return new Proxy(Object.freeze(target), {
    get: (table, key) => {
      if (typeof key === "symbol" || key === "then" || key === "toJSON") return undefined;
      return entries.get(key) ?? ((): Promise<never> => Promise.reject(unknownBinding(key, bindings)));
    },
  });
}

function unknownBinding(name: string, bindings: readonly string[]): ToolCallError {
  const listed = bindings.slice(0, MAX_LISTED).join(", ");
  const more =
    bindings.length > MAX_LISTED ? `, and ${bindings.length - MAX_LISTED} more (see ptcBindings)` : "";
  const nearest = nearestName(name, bindings);
  const hint = nearest === undefined ? "" : `\ndid you mean "${nearest}"?`;
  const text = `no binding named "${name}" in this run; available bindings: ${listed || "none"}${more}${hint}`;
  return new ToolCallError(name, plainFailure(text));
}
