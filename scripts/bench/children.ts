/** `bench children`: what a dispatch costs over starting the same child by hand, and what that start is made of. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { startModelServer } from "../../tests/fixtures/model-server.ts";
import { PiHome } from "../../tests/pi/real-pi.ts";
import { measureChildStart } from "./child-start.ts";
import { benchReader } from "./children-reader.ts";

export async function benchChildren(): Promise<void> {
  const home = await PiHome.open();
  let onRequest = (): void => undefined;
  const server = await startModelServer(() => {
    onRequest();
    return "done";
  });
  try {
    server.configure(home.home.agentDir);
    await measureDispatches(home);
    await measureChildStart(home, (listener) => (onRequest = listener));
  } finally {
    await server.close();
    home.close();
  }
  benchReader();
}

/** In a process of its own, as in a pi: the model's server must not count as cost of a dispatch. */
async function measureDispatches({ home }: PiHome): Promise<void> {
  const host = join(import.meta.dirname, "dispatch-host.ts");
  const child = spawn(process.execPath, [host], {
    cwd: home.cwd,
    env: home.env,
    stdio: ["ignore", "inherit", "inherit"],
  });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`the process that dispatches ended with ${code}`);
}
