/** Writes one key of a settings file, and leaves alone what it cannot read. */

import { errorText } from "./error-text.ts";
import { withJsonKey } from "./json-key.ts";
import { rewriteFile } from "./rewrite-file.ts";
import { readSettingsFile } from "./settings-file.ts";

/** How the file is now; `problem` says why nothing was written. */
export type SettingWrite = { kind: "written" } | { kind: "unchanged" } | { kind: "failed"; problem: string };

/** Sets `key` to `value`, or removes it when `value` is undefined. Never throws. */
export function writeSetting(path: string, key: string, value: string | undefined): SettingWrite {
  const file = readSettingsFile(path);
  if (file.kind === "unusable")
    return { kind: "failed", problem: `${file.problem}; the file was left as it is` };
  if (file.kind === "absent" && value === undefined) return { kind: "unchanged" };
  try {
    const before = file.kind === "object" ? file.text : "{}\n";
    const after = withJsonKey(before, key, value);
    if (file.kind === "object" && after === before) return { kind: "unchanged" };
    rewriteFile(path, after);
    return { kind: "written" };
  } catch (error) {
    return { kind: "failed", problem: `cannot be written (${errorText(error)})` };
  }
}
