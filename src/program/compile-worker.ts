/** Entry of the compile thread. */

import { parentPort } from "node:worker_threads";
import { compileSource } from "./compile-source.ts";

const port = parentPort;
// The first call loads the stripper (40 to 70 ms), so it is made before a program waits for it.
compileSource("return 1 as number");
port?.on("message", ({ id, text }: { id: number; text: string }) => port.postMessage({ id, result: compileSource(text) }));
port?.postMessage({ id: 0 });
