import { type LifeKind, lifeOf, pidOfKey } from "../base/process-key.ts";

const CHECK_MS = 1_000;

interface Look {
  parentPid(): number;
  lifeOf(key: string): LifeKind;
}
const SYSTEM: Look = { parentPid: () => process.ppid, lifeOf };

/**
 * Calls `onGone` once when the pi with that key, which dispatched this one, has ended; a wrapper between the two may
 * live on. Keeps nothing alive.
 */
export function watchParent(key: string, onGone: () => void, look: Look = SYSTEM): () => void {
  const isGone = watchOf(key, look);
  const timer = setInterval(() => {
    if (!isGone()) return;
    clearInterval(timer);
    onGone();
  }, CHECK_MS).unref();
  return () => clearInterval(timer);
}

/** Elsewhere than on Windows the parent's id changes when that ends. In another namespace of ids it is all there is. */
function watchOf(key: string, look: Look): () => boolean {
  const parent = look.parentPid();
  const isDirect = parent === pidOfKey(key) || look.lifeOf(key) === "unknown";
  if (isDirect && process.platform !== "win32") return () => look.parentPid() !== parent;
  return () => look.lifeOf(key) === "gone";
}
