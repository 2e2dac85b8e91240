/**
 * Paces the partial results of one program or child: the first change goes out at once, further ones at most once in
 * 100 ms, and without changes one each second, so that the elapsed time moves.
 */

const MIN_GAP_MS = 100;
const MAX_GAP_MS = 1_000;

/** A running feed. */
export interface ProgressFeed<Progress> {
  /** `progress` is read when it is sent. */
  changed(progress: () => Progress): void;
  /** Nothing is sent any more. */
  end(): void;
}

/** Starts a feed. `before` gives what is sent until the first change. `send` may throw or reject; both are dropped. */
export function feedProgress<Progress>(
  send: (progress: Progress) => unknown,
  before: (elapsedMs: number) => Progress,
): ProgressFeed<Progress> {
  const startedMs = performance.now();
  let sentMs = -Infinity;
  let snapshot: () => Progress = () => before(Math.round(performance.now() - startedMs));
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

/** A row that cannot be drawn, or a session that is gone, must not end what runs. */
function deliver<Progress>(send: (progress: Progress) => unknown, snapshot: () => Progress): void {
  try {
    const result = send(snapshot());
    if (result instanceof Promise) result.catch(() => undefined);
  } catch {
    // The final result still arrives.
  }
}
