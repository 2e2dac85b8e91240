/** pi's end of the line, in memory. */

import type { Channel } from "../../src/worker/channel.ts";
import type { WorkerFrame } from "../../src/worker/protocol.ts";

export class FakeChannel implements Channel {
  readonly frames: WorkerFrame[] = [];
  /** Frames of each write. */
  readonly writes: number[] = [];
  isHeld = false;

  post(frame: WorkerFrame): void {
    this.frames.push(JSON.parse(JSON.stringify(frame)) as WorkerFrame);
    this.writes.push(1);
  }

  postJson(texts: readonly string[]): void {
    this.frames.push(...texts.map((text) => JSON.parse(text) as WorkerFrame));
    this.writes.push(texts.length);
  }

  hold(held: boolean): void {
    this.isHeld = held;
  }

  /** Frames of one kind. */
  of<Kind extends WorkerFrame["kind"]>(kind: Kind): Extract<WorkerFrame, { kind: Kind }>[] {
    return this.frames.filter((frame): frame is Extract<WorkerFrame, { kind: Kind }> => frame.kind === kind);
  }
}
