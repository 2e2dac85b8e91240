/** What is fuzzed: one reader of untrusted input, and what must hold of it whatever it is given. */

import fc from "fast-check";
import found from "../fixtures/fuzz-found.json" with { type: "json" };

export interface FuzzTarget {
  name: string;
  /** Tries one input. Throws or rejects when something does not hold. */
  property: fc.IAsyncPropertyWithHooks<[unknown]>;
  /** Inputs that once broke it, tried before all others. */
  found: readonly unknown[];
  /** Removes what trying left behind. */
  close?(): void;
}

/** Inputs of the target of this name that once broke it, as `tests/fixtures/fuzz-found.json` keeps them. */
export const foundInputs = <Input>(name: keyof typeof found): readonly Input[] =>
  found[name] as unknown as readonly Input[];

/** A target for inputs of one kind. */
export function target<Input>(
  name: string,
  inputs: fc.Arbitrary<Input>,
  tries: (input: Input) => void | Promise<void>,
  { close, found: first = [] }: { close?: () => void; found?: readonly Input[] } = {},
): FuzzTarget {
  const property = fc.asyncProperty(inputs, async (input) => {
    await tries(input);
    const { polluted } = {} as { polluted?: unknown };
    must(polluted === undefined, "no input reaches the prototype of all objects");
  });
  return {
    name,
    property: property as FuzzTarget["property"],
    found: first,
    ...(close ? { close } : {}),
  };
}

/** Throws when `holds` is false. */
export function must(holds: boolean, sentence: string): asserts holds {
  if (!holds) throw new Error(`does not hold: ${sentence}`);
}

/** Does a text hold what a terminal or a model could take for more than text? */
export const hasControls = (text: string): boolean =>
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  /[\0-\x08\x0b-\x1f\x7f-\x9f]/.test(text);

/** How often `part` stands in `text`. */
export const countOf = (text: string, part: string): number => text.split(part).length - 1;

/** Tries `cases` inputs made from `seed`. Rejects with the smallest failing input it finds. */
export async function fuzz(
  { property, found: first }: FuzzTarget,
  { cases, seed, maxMs }: { cases: number; seed: number; maxMs?: number },
): Promise<number> {
  const details = await fc.check(property, {
    numRuns: cases,
    examples: first.map((input) => [input] as [unknown]),
    seed,
    ...(maxMs === undefined ? {} : { interruptAfterTimeLimit: maxMs, markInterruptAsFailure: false }),
  });
  if (details.failed)
    throw new Error(`${String(details.errorInstance)}\n${fc.defaultReportMessage(details)}`);
  return details.numRuns;
}
