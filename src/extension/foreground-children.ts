import { TailBuffer } from "../children/tail-buffer.ts";
import type { DispatchResult } from "../children/dispatch.ts";
import type { RunningChild } from "../children/start-child.ts";
import type { LiveChild } from "../render/live-snapshot.ts";

/** Kept of a child's answers. */
const TAIL_BYTES = 16_384;

/** Children that a call waits for, by the id of that call, and what became of those that ended. */
export class ForegroundChildren {
  /** What running ones have said. */
  readonly #said = new Map<string, TailBuffer>();
  readonly #children = new Map<string, { label: string; child: RunningChild }>();
  readonly ended = { count: 0, cost: 0 };
  /** Set by whoever draws them: a child began or ended. */
  onChange: () => void = () => undefined;
  /** Set by whoever draws them: one told of something, as often as it does. */
  onMove: () => void = () => undefined;

  /** Keeps a child until its result, and resolves with that. */
  async follow(id: string, label: string, child: RunningChild): Promise<DispatchResult> {
    this.#children.set(id, { label, child });
    this.#tell(this.onChange);
    const result = await child.result;
    this.#children.delete(id);
    this.#said.delete(id);
    if (result.started) this.ended.count += 1;
    this.ended.cost += result.usage?.cost ?? 0;
    this.#tell(this.onChange);
    return result;
  }

  get count(): number {
    return this.#children.size;
  }

  list(): LiveChild[] {
    return [...this.#children].map(([id, { label, child }]) => ({ id, label, progress: child.progress() }));
  }

  find(id: string): LiveChild | undefined {
    const found = this.#children.get(id);
    return found && { id, label: found.label, progress: found.child.progress() };
  }

  /** A child said something. */
  said(id: string, text: string): void {
    if (!this.#children.has(id)) return;
    const tail = this.#said.get(id);
    const end = text.slice(-TAIL_BYTES);
    if (tail) return tail.push(Buffer.from(`\n\n${end}`));
    const first = new TailBuffer(TAIL_BYTES);
    first.push(Buffer.from(end));
    this.#said.set(id, first);
  }

  /** The end of what a running child has said, as a task's output has it. */
  output(id: string): string {
    return this.#said.get(id)?.text() ?? "";
  }

  /** Ends one child, and no other; false when there is none of this id. */
  stop(id: string, reason: string): boolean {
    const found = this.#children.get(id);
    found?.child.stop(reason);
    return found !== undefined;
  }

  /** A child moved on. */
  moved(): void {
    this.#tell(this.onMove);
  }

  #tell(listener: () => void): void {
    try {
      listener();
    } catch {
      // A screen that is gone must not end a child.
    }
  }
}
