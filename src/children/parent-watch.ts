const CHECK_MS = 1_000;

/** Calls `onGone` when this process gets another parent. Keeps nothing alive. */
export function watchParent(onGone: () => void, parentOf: () => number = () => process.ppid): () => void {
  const parent = parentOf();
  const timer = setInterval(() => {
    if (parentOf() === parent) return;
    clearInterval(timer);
    onGone();
  }, CHECK_MS).unref();
  return () => clearInterval(timer);
}
