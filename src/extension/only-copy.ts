import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

const CHANNEL = "pi-ptc-subagents/claim";

/**
 * Claims this pi for the copy in `folder`. The first gets undefined, a later one the folder of the first:
 * two that register the same tools would keep pi from starting.
 */
export function claimPi({ events }: Pick<ExtensionAPI, "events">, folder: string): string | undefined {
  const claim: { taken: boolean; by?: unknown } = { taken: false };
  events.emit(CHANNEL, claim);
  if (claim.taken) return typeof claim.by === "string" ? claim.by : "another folder";
  events.on(CHANNEL, (other) => {
    if (typeof other === "object" && other !== null) Object.assign(other, { taken: true, by: folder });
  });
  return undefined;
}
