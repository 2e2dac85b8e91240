/** Language built-ins as they were when this file loaded: a program may patch them before its value is read. */

const { bind, call } = Function.prototype;

type Method<Self, Args extends unknown[], Out> = (this: Self, ...args: Args) => Out;

/** Turns a method into a function that takes its `this` first and looks nothing up when called. */
export const uncurry = bind.bind(call) as <Self, Args extends unknown[], Out>(
  method: Method<Self, Args, Out>,
) => (self: Self, ...args: Args) => Out;

/** Getter of a built-in prototype; each throws on a value without the slot it reads. Absent ones always throw. */
export function slotGetter(prototype: object | undefined, key: PropertyKey): (value: object) => unknown {
  const getter = prototype && Object.getOwnPropertyDescriptor(prototype, key)?.get;
  if (getter) return uncurry(getter as Method<object, [], unknown>);
  return () => {
    throw new TypeError("this engine has no such built-in");
  };
}

export const { isArray } = Array;
export const { getOwnPropertyDescriptor, getPrototypeOf, keys: ownKeys } = Object;
export const { min, max } = Math;
export const apply = Reflect.apply as (method: unknown, self: unknown, args: unknown[]) => unknown;
export const stringify = JSON.stringify as (text: string) => string;

export const charCodeAt = uncurry(String.prototype.charCodeAt);
export const indexOf = uncurry(
  String.prototype.indexOf as Method<string, [text: string, from?: number], number>,
);
export const slice = uncurry(String.prototype.slice);
export const mapGet = uncurry(Map.prototype.get);
export const mapSet = uncurry(Map.prototype.set);
export const mapDelete = uncurry(Map.prototype.delete);
export const hasOwn = uncurry(Object.prototype.hasOwnProperty);
export const bigintToString = uncurry(BigInt.prototype.toString as Method<bigint, [], string>);
export const symbolToString = uncurry(Symbol.prototype.toString);

/** `RegExp.prototype.exec`, which unlike `test` and `replace` runs no method that could be patched. */
export const exec = uncurry(RegExp.prototype.exec);

/** First index at or before `end` that does not stand inside a surrogate pair. */
export function pairBoundary(text: string, end: number): number {
  if (end <= 0 || end >= text.length) return end;
  const before = charCodeAt(text, end - 1);
  const after = charCodeAt(text, end);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff ? end - 1 : end;
}
