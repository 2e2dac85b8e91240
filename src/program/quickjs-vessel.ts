/** A worker in a thread whose program runs in a QuickJS VM: it has its globals and pi's tools, and nothing else. */

import { readFile } from "node:fs/promises";
import { compileWasm, type WasmModule } from "../base/web-assembly.ts";
import { ThreadVessel } from "./thread-vessel.ts";
import { entryUrl, type Vessel, type VesselOptions } from "./vessel.ts";

/** V8 keeps frames of its own for the VM's, which overflowed first with 6. */
const STACK_MB = 16;
/** A VM counts its bytes in 32 bits. */
const MAX_HEAP_MB = 2_000;
/** V8 counts the VM's memory, too, and collects garbage at each growth past half its limit: 10 times slower. */
const HEAP_ROOM = 4;

interface QuickjsParts {
  module: WasmModule;
  guest: string;
}

/** Opens workers of this kind. The engine is read and compiled once, for the first; its code is shared by all threads. */
export class QuickjsVessels {
  #parts: Promise<QuickjsParts> | undefined;

  open(options: VesselOptions): Vessel {
    const parts = (this.#parts ??= this.#load());
    const heapMb = Math.min(options.maxOldGenerationSizeMb, MAX_HEAP_MB);
    const stops = new Int32Array(new SharedArrayBuffer(4));
    return new ThreadVessel(options, {
      kind: "quickjs",
      entry: entryUrl("./quickjs-worker.cjs", "../worker/quickjs-main.ts"),
      data: { stops, heapMb },
      resourceLimits: {
        stackSizeMb: STACK_MB,
        maxOldGenerationSizeMb: heapMb * HEAP_ROOM,
      },
      parts,
      onStop: () => void Atomics.add(stops, 0, 1),
    });
  }

  async #load(): Promise<QuickjsParts> {
    try {
      const [wasm, guest] = await Promise.all([
        readFile(entryUrl("./quickjs.wasm", "../../dist/quickjs.wasm")),
        readFile(entryUrl("./quickjs-guest.js", "../../dist/quickjs-guest.js"), "utf8"),
      ]);
      return { module: await compileWasm(wasm), guest };
    } catch (error) {
      // The next worker tries again: descriptors may have been scarce.
      this.#parts = undefined;
      throw error;
    }
  }
}
