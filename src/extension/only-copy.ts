import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

const CHANNEL = "pi-ptc-subagents/claim";

/** True for the first copy in a pi. Two that register the same tools would keep pi from starting. */
export function claimPi({ events }: Pick<ExtensionAPI, "events">): boolean {
  const claim = { taken: false };
  events.emit(CHANNEL, claim);
  if (claim.taken) return false;
  events.on(CHANNEL, (other) => {
    if (typeof other === "object" && other !== null) (other as typeof claim).taken = true;
  });
  return true;
}
