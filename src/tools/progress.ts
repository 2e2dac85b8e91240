/**
 * Paces the partial results of one program: the first change goes out at once, further ones at most once in
 * 100 ms, and without changes one each second, so that the elapsed time moves.
 */

import type { RunProgress } from "../program/outcome.ts";

const MIN_GAP_MS = 100;
const MAX_GAP_MS = 1_000;

/** A running feed. */
export interface ProgressFeed {
  /** `progress` is read when it is sent. */
  changed(progress: () => RunProgress): void;
  /** Nothing is sent any more. */
  end(): void;
}

/** Starts a feed. `send` may throw or reject; both are dropped. */
export function feedProgress(send: (progress: RunProgress) => unknown): ProgressFeed {
  const startedMs = performance.now();
  let sentMs = -Infinity;
  let snapshot: () => RunProgress = () => nothingYet(performance.now() - startedMs);
  let ended = false;
  let timer: NodeJS.Timeout | undefined;
  let dueMs = Infinity;

  const schedule = (atMs: number): void => {
    if (atMs >= dueMs) return;
    clearTimeout(timer);
    dueMs = atMs;
    timer = setTimeout(emit, Math.max(0, atMs - performance.now()));
    timer.unref();
  };
  const emit = (): void => {
    clearTimeout(timer);
    dueMs = Infinity;
    if (ended) return;
    sentMs = performance.now();
    deliver(send, snapshot);
    schedule(sentMs + MAX_GAP_MS);
  };

  schedule(startedMs + MAX_GAP_MS);
  return {
    changed(progress) {
      if (ended) return;
      snapshot = progress;
      if (performance.now() - sentMs >= MIN_GAP_MS) emit();
      else schedule(sentMs + MIN_GAP_MS);
    },
    end() {
      ended = true;
      clearTimeout(timer);
    },
  };
}

/** A row that cannot be drawn, or a session that is gone, must not end the program that runs. */
function deliver(send: (progress: RunProgress) => unknown, snapshot: () => RunProgress): void {
  try {
    const result = send(snapshot());
    if (result instanceof Promise) result.catch(() => undefined);
  } catch {
    // The final result still arrives.
  }
}

function nothingYet(elapsedMs: number): RunProgress {
  return {
    subCalls: [],
    calls: { total: 0, failed: 0 },
    phases: [],
    narrations: [],
    logs: [],
    elapsedMs: Math.round(elapsedMs),
  };
}
