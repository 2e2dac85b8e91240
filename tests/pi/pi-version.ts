/** The pi under test, where pis differ in what a test expects. */

import { VERSION } from "@earendil-works/pi-coding-agent";

/** Is it older than `version`? */
export function isPiBefore(version: string): boolean {
  const [own, other] = [VERSION, version].map((text) => text.split(".").map(Number)) as [number[], number[]];
  const place = own.findIndex((part, index) => part !== other[index]);
  return place >= 0 && (own[place] as number) < (other[place] as number);
}
