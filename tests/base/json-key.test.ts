import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { withJsonKey } from "../../src/base/json-key.ts";

const set = (text: string, value = "full"): string => withJsonKey(text, "surfaceMode", value);
const unset = (text: string): string => withJsonKey(text, "surfaceMode", undefined);

describe("a key that is set", () => {
  test.each([
    ['{"surfaceMode": "off"}', '{"surfaceMode": "full"}'],
    [
      '{ "a" : 1 ,\t"surfaceMode":"off" , "b": [1, 2] }\n',
      '{ "a" : 1 ,\t"surfaceMode":"full" , "b": [1, 2] }\n',
    ],
    ['{"surfaceMode": {"x": "}"}, "b": 1e3}', '{"surfaceMode": "full", "b": 1e3}'],
    ['{"surfaceMode":null}', '{"surfaceMode":"full"}'],
    [
      '{"x": "surfaceMode", "y": {"surfaceMode": "off"}}',
      '{"x": "surfaceMode", "y": {"surfaceMode": "off"}, "surfaceMode": "full"}',
    ],
    ['{"surface\\u004dode": "off"}', '{"surface\\u004dode": "full"}'],
    ['{"surfaceMode": 1, "surfaceMode": 2}', '{"surfaceMode": 1, "surfaceMode": "full"}'],
  ])("in %j changes nothing else", (before, after) => {
    expect(set(before)).toBe(after);
  });

  test.each([
    ["{}", '{\n  "surfaceMode": "full"\n}'],
    ["{ }\n", '{\n  "surfaceMode": "full"\n}\n'],
    ['{\n\t"a": 1\n}\n', '{\n\t"a": 1,\n\t"surfaceMode": "full"\n}\n'],
    [
      '{\r\n    "a": "x",\r\n    "b": {}\r\n}',
      '{\r\n    "a": "x",\r\n    "b": {},\r\n    "surfaceMode": "full"\r\n}',
    ],
    ['{"a":1}', '{"a":1, "surfaceMode": "full"}'],
    ['\uFEFF{\n  "a": 1\n}', '\uFEFF{\n  "a": 1,\n  "surfaceMode": "full"\n}'],
  ])("anew in %j goes to the end, indented like the others", (before, after) => {
    expect(set(before)).toBe(after);
  });

  test("to what it is leaves the text itself", () => {
    const text = '{ "surfaceMode" :   "full" }';
    expect(set(text)).toBe(text);
  });
});

describe("a key that is removed", () => {
  test.each([
    ['{"surfaceMode": "off"}', "{}"],
    ['{\n  "surfaceMode": "off"\n}\n', "{}\n"],
    ['{\n  "surfaceMode": "off",\n  "a": 1\n}', '{\n  "a": 1\n}'],
    ['{\n  "a": 1,\n  "surfaceMode": "off"\n}', '{\n  "a": 1\n}'],
    ['{"a":1,"surfaceMode":"off","b":2}', '{"a":1,"b":2}'],
    ['{"surfaceMode": 1, "a": 2, "surfaceMode": 3}', '{"a": 2}'],
  ])("from %j takes its comma along", (before, after) => {
    expect(unset(before)).toBe(after);
  });

  test("and was not there leaves the text itself", () => {
    expect(unset('{"a": 1}')).toBe('{"a": 1}');
  });
});

const json = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 6 });
const indents = fc.constantFrom(0, 1, 2, "\t", 10);

test("whatever the object and its indentation, only the one key changes", () => {
  fc.assert(
    fc.property(json, indents, fc.string(), (object, indent, key) => {
      const text = JSON.stringify(object, undefined, indent);
      const written = withJsonKey(text, key, "v");
      const others = (one: object): [string, unknown][] =>
        Object.entries(one).filter(([name]) => name !== key);
      const parsed = JSON.parse(written) as Record<string, unknown>;
      expect(Object.hasOwn(parsed, key) && parsed[key]).toBe("v");
      expect(others(parsed)).toEqual(others(JSON.parse(text) as object));
      const removed = JSON.parse(withJsonKey(written, key, undefined)) as object;
      expect(Object.entries(removed)).toEqual(others(JSON.parse(text) as object));
      if (!Object.hasOwn(object, key)) expect(withJsonKey(text, key, undefined)).toBe(text);
    }),
  );
});
