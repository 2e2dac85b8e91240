/** How this process was started. */

import type { Args } from "@earendil-works/pi-coding-agent";
import type { PtcSettings } from "../base/settings.ts";
import { type HostProcess, isPiProcess } from "../children/pi-command.ts";
import type { Host } from "./host.ts";

/** This process, as the commands of children are made from it. */
export function hostProcess({ codingAgent }: Host, { command }: Readonly<PtcSettings>): HostProcess {
  return {
    execPath: process.execPath,
    entry: process.argv[1],
    cwd: process.cwd(),
    variable: process.env["PI_PTC_COMMAND"],
    setting: command,
    packageDir: codingAgent.getPackageDir(),
  };
}

/** pi's arguments; undefined where the process is not pi's command line, whose arguments mean something else. */
export function launchArguments(host: Host, settings: Readonly<PtcSettings>): Args | undefined {
  if (!isPiProcess(hostProcess(host, settings))) return undefined;
  return host.codingAgent.parseArgs(process.argv.slice(2));
}
