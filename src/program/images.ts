/** Pictures that a program's calls produced: what pi may attach, and what would poison the session. */

import type { ContentBlock } from "../worker/protocol.ts";

const SIGNATURES: Record<string, (bytes: Buffer) => boolean> = {
  "image/png": (bytes) =>
    bytes.subarray(0, 8).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])),
  "image/jpeg": (bytes) => bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff,
  "image/gif": (bytes) => /^GIF8[79]a$/.test(bytes.subarray(0, 6).toString("latin1")),
  "image/webp": (bytes) =>
    bytes.subarray(0, 4).toString("latin1") === "RIFF" && bytes.subarray(8, 12).toString("latin1") === "WEBP",
};
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const SIGNATURE_CHARS = 24;

/** Why a block is no picture pi can attach, or undefined when it is one. */
export function imageProblem(block: ContentBlock): string | undefined {
  const { data, mimeType } = block;
  if (typeof mimeType !== "string" || !Object.hasOwn(SIGNATURES, mimeType)) {
    return `its type is ${JSON.stringify(mimeType)}; png, jpeg, gif and webp can be shown`;
  }
  if (typeof data !== "string" || data.length % 4 !== 0 || !BASE64.test(data))
    return "its data is not base64";
  const matches = SIGNATURES[mimeType] as (bytes: Buffer) => boolean;
  return matches(Buffer.from(data.slice(0, SIGNATURE_CHARS), "base64"))
    ? undefined
    : `its data is not ${mimeType}`;
}

/** Pictures of one run, in call order whatever order the calls ended in. */
export class ImageShelf {
  readonly #byCall = new Map<number, ContentBlock[]>();
  #count = 0;

  /** Blocks that call `id` brought; text blocks are passed over. */
  add(id: number, blocks: readonly ContentBlock[]): void {
    const images = blocks.filter((block) => block.type === "image");
    if (images.length === 0) return;
    this.#count += images.length;
    this.#byCall.set(id, images);
  }

  /** Pictures seen, good or not. */
  get count(): number {
    return this.#count;
  }

  /** All of them in call order; a bad one is a text block that says why. */
  blocks(): ContentBlock[] {
    const ids = [...this.#byCall.keys()].toSorted((a, b) => a - b);
    return ids.flatMap((id) =>
      (this.#byCall.get(id) ?? []).map((block, index) => {
        const problem = imageProblem(block);
        if (problem === undefined) return { type: "image", data: block.data, mimeType: block.mimeType };
        return { type: "text", text: `[image ${index + 1} of call ${id} left out: ${problem}]` };
      }),
    );
  }
}
