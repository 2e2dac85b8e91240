import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

const CHANNEL = "pi-ptc-subagents/claim";

/**
 * True for the first copy of this package in a pi. Two copies that register the same tools would keep pi from
 * starting, so every later one asks here, hears that it is not the first, and registers nothing.
 */
export function claimPi({ events }: Pick<ExtensionAPI, "events">): boolean {
  const claim = { taken: false };
  events.emit(CHANNEL, claim);
  if (claim.taken) return false;
  events.on(CHANNEL, (other) => {
    if (typeof other === "object" && other !== null) (other as typeof claim).taken = true;
  });
  return true;
}
