import fc from "fast-check";
import { expect, test } from "vitest";
import { newestOf } from "../../src/tasks/newest.ts";

test("the newest are the last of the sorted names that are meant, newest first, however the names lie", () => {
  const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 4 }), { maxLength: 60 });
  fc.assert(
    fc.property(names, fc.integer({ min: 1, max: 70 }), (given, count) => {
      const before = [...given];
      // Sorted by code unit, as `toSorted` without arguments does.
      const isMeant = (name: string): boolean => name.length !== 2;
      const expected = given.filter(isMeant).toSorted().toReversed().slice(0, count);
      expect(newestOf(given, count, isMeant)).toEqual(expected);
      expect(given).toEqual(before);
    }),
    { numRuns: 300 },
  );
});
