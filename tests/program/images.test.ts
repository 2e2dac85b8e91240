import { describe, expect, test } from "vitest";
import { imageProblem, ImageShelf } from "../../src/program/images.ts";

/** The first bytes of each kind, from its own specification. */
const HEADS = {
  "image/png": [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
  "image/jpeg": [0xff, 0xd8, 0xff, 0xe0],
  "image/gif": [...Buffer.from("GIF89a")],
  "image/webp": [...Buffer.from("RIFF\u0004\u0000\u0000\u0000WEBP")],
};
const base64 = (bytes: readonly number[]): string =>
  Buffer.from([...bytes, ...Buffer.alloc(20)]).toString("base64");
const picture = (data: unknown, mimeType: unknown) => ({ type: "image", data, mimeType }) as never;

describe("a picture", () => {
  test.each(Object.entries(HEADS))("of %s is good", (mimeType, head) => {
    expect(imageProblem(picture(base64(head), mimeType))).toBeUndefined();
  });

  test.each(Object.keys(HEADS))("with other bytes is none of %s", (mimeType) => {
    const others = Object.entries(HEADS).filter(([name]) => name !== mimeType);
    for (const [, head] of others) {
      expect(imageProblem(picture(base64(head), mimeType))).toBe(`its data is not ${mimeType}`);
    }
  });

  test.each([
    "",
    "***",
    "abc",
    "iVBORw0KGgo",
    "iVBO Rw0K",
    "iVBORw0K\n",
    "data:image/png;base64,iVBORw0K",
    "iVBORw0-_w==",
    7,
    undefined,
    null,
  ])("whose data is %j is no base64", (data) => {
    expect(imageProblem(picture(data, "image/png"))).toBe("its data is not base64");
  });

  test.each(["image/svg+xml", "IMAGE/PNG", "text/html", "constructor", "", undefined, 5])(
    "of the type %j cannot be shown",
    (mimeType) => {
      const problem = imageProblem(picture(base64(HEADS["image/png"]), mimeType));
      expect(problem).toMatch(/^its type is .*; png, jpeg, gif and webp can be shown$/);
    },
  );
});

describe("pictures of a run", () => {
  const png = base64(HEADS["image/png"]);

  test("come in the order of the calls, whatever order they ended in, none dropped or merged", () => {
    const shelf = new ImageShelf();
    const other = base64([...HEADS["image/png"], 1]);
    shelf.add(10, [picture(png, "image/png")]);
    shelf.add(2, [{ type: "text", text: "x" }, picture(other, "image/png"), picture(png, "image/png")]);
    shelf.add(3, [{ type: "text", text: "no picture" }]);
    expect(shelf.count).toBe(3);
    expect(shelf.blocks()).toEqual([other, png, png].map((data) => picture(data, "image/png")));
  });

  test("carry nothing but data and type, and a bad one becomes a note", () => {
    const shelf = new ImageShelf();
    shelf.add(1, [{ type: "image", data: png, mimeType: "image/png", text: "x" }, picture("?", "image/png")]);
    expect(shelf.blocks()).toEqual([
      { type: "image", data: png, mimeType: "image/png" },
      { type: "text", text: "[image 2 of call 1 left out: its data is not base64]" },
    ]);
  });
});
