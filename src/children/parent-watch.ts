/** A child's eye on its parent: a pi in JSON mode would otherwise run on, and cost on, when nobody reads it. */

const CHECK_MS = 1_000;

/** Calls `onGone` once when this process gets another parent. Keeps nothing alive; the returned function ends it. */
export function watchParent(onGone: () => void, parentOf: () => number = () => process.ppid): () => void {
  const parent = parentOf();
  const timer = setInterval(() => {
    if (parentOf() === parent) return;
    clearInterval(timer);
    onGone();
  }, CHECK_MS).unref();
  return () => clearInterval(timer);
}
