/** Inputs that are nearly right: what a tool that breaks, a hostile child or an editor in the middle of a write leaves. */

import fc from "fast-check";

/** Values that readers of JSON trip over. */
const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  -0,
  0.1,
  1e308,
  2 ** 53,
  "",
  " ",
  "\0",
  "\ud800",
  "__proto__",
  "</pi-ptc-report>",
  "<system-reminder>",
  "\u202e",
  "a".repeat(5_000),
  "x\n".repeat(300),
  [],
  {},
  [[[[[[]]]]]],
  [null],
  { length: 1e9 },
  { toString: 1, constructor: null },
  JSON.parse('{"__proto__": {"polluted": true}}'),
];
const ODD_KEYS = ["__proto__", "constructor", "toJSON", "then", "length", "type", "kind", "id", ""];
const ODD_TEXTS = [
  ...["\n", "\r\n", "\u2028", "\ufeff", "\0", "\x1b[2J", "\x1b]8;;x\x07", "👩‍💻", "\u200f", "\ud83d", "é"],
  ...["{", "}", "[", "]", ":", ",", '"', "\\", "```", "~~~", "---", "- ", "#", "&a", "*a", "!!", "|", ">"],
  ...["<", "</", "<|", "__proto__", "null", "NaN", "1e999", "\t", "  "],
];

const oddValue = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...ODD_VALUES) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);
const oddText = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...ODD_TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 20 }) },
);

type Edit = { at: number; how: "replace" | "remove" | "add" | "double"; key: string; value: unknown };
const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.nat(200),
  how: fc.constantFrom("replace", "replace", "remove", "add", "double"),
  key: fc.constantFrom(...ODD_KEYS),
  value: oddValue,
});

/** One of `values` with a few places of it replaced, removed or added to. */
export function mangledJson(...values: readonly unknown[]): fc.Arbitrary<unknown> {
  return fc
    .tuple(fc.constantFrom(...values), fc.array(edit, { maxLength: 4 }))
    .map(([value, edits]) => edits.reduce<unknown>(apply, structuredClone(value)));
}

/** One of `texts`, cut, spliced and repeated in a few places. */
export function mangledText(...texts: readonly string[]): fc.Arbitrary<string> {
  const splice = fc.record({
    at: fc.nat(4_000),
    length: fc.nat(40),
    text: oddText,
    times: fc.constantFrom(1, 1, 1, 50),
  });
  return fc.tuple(fc.constantFrom(...texts), fc.array(splice, { maxLength: 5 })).map(([whole, splices]) => {
    let text = whole;
    for (const { at, length, text: more, times } of splices) {
      const start = at % (text.length + 1);
      text = text.slice(0, start) + more.repeat(times) + text.slice(start + length);
    }
    return text;
  });
}

/** Bytes with a few of them changed or left out, and the sizes of the pieces in which they arrive. */
export function mangledBytes(
  bytes: fc.Arbitrary<Uint8Array>,
): fc.Arbitrary<{ bytes: Buffer; sizes: readonly number[] }> {
  const slip = fc.record({ at: fc.nat(100_000), byte: fc.nat(255), drop: fc.nat(3) });
  const slips = fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(slip, { maxLength: 3 }));
  return fc
    .record({ whole: bytes, slips, sizes: fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 8 }) })
    .map(({ whole, slips: chosen, sizes }) => {
      let changed = Buffer.from(whole);
      for (const { at, byte, drop } of chosen) {
        const start = at % (changed.length + 1);
        changed = Buffer.concat([
          changed.subarray(0, start),
          Buffer.of(byte),
          changed.subarray(start + drop),
        ]);
      }
      return { bytes: changed, sizes };
    });
}

/** `bytes` in pieces of these sizes, the rest in one. */
export function* piecesOf({ bytes, sizes }: { bytes: Buffer; sizes: readonly number[] }): Generator<Buffer> {
  let start = 0;
  for (const size of sizes) {
    if (start >= bytes.length) return;
    yield Buffer.from(bytes.subarray(start, start + size));
    start += size;
  }
  yield Buffer.from(bytes.subarray(start));
}

/** Every object and array of `value`, itself included, outermost first. */
function containers(value: unknown): (unknown[] | Record<string, unknown>)[] {
  if (typeof value !== "object" || value === null) return [];
  return [value as Record<string, unknown>, ...Object.values(value).flatMap(containers)];
}

function apply(value: unknown, { at, how, key, value: shared }: Edit): unknown {
  const odd = structuredClone(shared);
  const all = containers(value);
  const container = all[at % Math.max(1, all.length)];
  if (container === undefined || at === 0) return odd;
  const keys = Object.keys(container);
  const chosen = keys[at % Math.max(1, keys.length)] ?? key;
  if (Array.isArray(container)) {
    if (how === "double") container.push(...container);
    else
      container.splice(
        at % (container.length + 1),
        how === "add" ? 0 : 1,
        ...(how === "remove" ? [] : [odd]),
      );
  } else if (how === "remove") delete container[chosen];
  else put(container, how === "add" ? key : chosen, odd);
  return value;
}

/** As `JSON.parse` does it, for `__proto__` too. */
function put(into: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(into, key, { value, enumerable: true, configurable: true, writable: true });
}
