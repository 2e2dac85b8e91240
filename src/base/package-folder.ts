import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** This package's folder, absolute, from sources and built files alike. */
export function packageFolder(folder: string = import.meta.dirname): string {
  const above = dirname(folder);
  return above === folder || existsSync(join(folder, "package.json")) ? folder : packageFolder(above);
}
