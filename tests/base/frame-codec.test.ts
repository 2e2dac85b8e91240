import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeFrames, FrameReader } from "../../src/base/frame-codec.ts";

/** A frame as the format says: four bytes of length, little endian, then JSON in UTF-8. */
function frame(json: string): Buffer {
  const body = Buffer.from(json, "utf8");
  return Buffer.concat([Buffer.from(Uint32Array.of(body.length).buffer), body]);
}

/** What a reader makes of these chunks. */
function read(chunks: readonly Buffer[], maxBytes = 1_000): { frames: unknown[]; problems: string[] } {
  const [frames, problems]: [unknown[], string[]] = [[], []];
  const reader = new FrameReader(
    maxBytes,
    (value) => frames.push(value),
    (problem) => problems.push(problem),
  );
  for (const chunk of chunks) reader.push(chunk);
  return { frames, problems };
}

const anyJson = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);

test("frames are written as length and UTF-8, one after the other", () => {
  const texts = ['{"a":"é😀"}', "null", '"\u2028"'];
  expect(encodeFrames(texts)).toEqual(Buffer.concat(texts.map(frame)));
  expect(encodeFrames([])).toEqual(Buffer.alloc(0));
});

test("what was written is read, whatever the values", () => {
  fc.assert(
    fc.property(fc.array(anyJson, { maxLength: 8 }), (values) => {
      const bytes = encodeFrames(values.map((value) => JSON.stringify(value)));
      expect(read([bytes], 1e6)).toEqual({ frames: values, problems: [] });
    }),
  );
});

test("a stream may be cut at every byte", () => {
  const values = [{ kind: "log", text: "é😀\n" }, null, [1, "\u2028"], {}];
  const bytes = encodeFrames(values.map((value) => JSON.stringify(value)));
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    expect(read([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual({ frames: values, problems: [] });
  }
  const single = Array.from({ length: bytes.length }, (_, index) => bytes.subarray(index, index + 1));
  expect(read(single)).toEqual({ frames: values, problems: [] });
});

test("any cuts of any frames give the same frames", () => {
  fc.assert(
    fc.property(
      fc.array(anyJson, { minLength: 1 }),
      fc.array(fc.nat(), { maxLength: 20 }),
      (values, places) => {
        const bytes = encodeFrames(values.map((value) => JSON.stringify(value)));
        const cuts = [
          0,
          ...places.map((place) => place % bytes.length).toSorted((a, b) => a - b),
          bytes.length,
        ];
        const chunks = cuts.slice(1).map((end, index) => bytes.subarray(cuts[index], end));
        expect(read(chunks, 1e6)).toEqual({ frames: values, problems: [] });
      },
    ),
  );
});

describe("a frame", () => {
  const text = `"${"x".repeat(98)}"`;

  test("of the largest size is read", () => {
    expect(read([frame(text)], 100).frames).toEqual(["x".repeat(98)]);
  });

  test("over it is refused by its length alone, before its bytes arrive, and nothing after it is read", () => {
    const header = frame(text).subarray(0, 4);
    const { frames, problems } = read([frame("1"), header, frame(text), frame("2")], 99);
    expect(frames).toEqual([1]);
    expect(problems).toEqual(["a frame of 100 bytes is over the limit of 99 (maxMessageBytes)"]);
  });

  test("of 4 GiB is refused", () => {
    expect(read([Buffer.from([0xff, 0xff, 0xff, 0xff])]).problems).toHaveLength(1);
  });

  test.each(["", "{", "undefined", "{'a': 1}", "\u0000", '{"a":1}}'])(
    "that is no JSON (%j) ends the reading without quoting it",
    (json) => {
      const { frames, problems } = read([Buffer.concat([frame("1"), frame(json), frame("2")])]);
      expect({ frames, problems }).toEqual({ frames: [1], problems: ["a frame is not JSON"] });
    },
  );

  test("that is cut off is never handed over", () => {
    expect(read([frame(text).subarray(0, 50)])).toEqual({ frames: [], problems: [] });
  });
});

test("a large frame in small pieces takes linear time", () => {
  const bytes = frame(JSON.stringify("x".repeat(8_000_000)));
  const chunks = Array.from({ length: Math.ceil(bytes.length / 4_096) }, (_, index) =>
    bytes.subarray(index * 4_096, (index + 1) * 4_096),
  );
  const before = performance.now();
  expect(read(chunks, 1e7).frames).toHaveLength(1);
  // Copying what is held for each of 2000 chunks would take minutes.
  expect(performance.now() - before).toBeLessThan(5_000);
});
