/** Workers in threads, whose programs run in QuickJS VMs. */

import { readFile } from "node:fs/promises";
import { compileWasm, type WasmModule } from "../base/web-assembly.ts";
import { ThreadVessel } from "./thread-vessel.ts";
import { builtUrl, type Vessel, type VesselOptions } from "./vessel.ts";

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

/** Opens such workers. The engine is compiled once, for the first; all threads share its code. */
export class QuickjsVessels {
  #parts: Promise<QuickjsParts> | undefined;

  open(options: VesselOptions): Vessel {
    const parts = (this.#parts ??= this.#load());
    const heapMb = Math.min(options.maxOldGenerationSizeMb, MAX_HEAP_MB);
    const stops = new Int32Array(new SharedArrayBuffer(4));
    return new ThreadVessel(options, {
      kind: "quickjs",
      entry: builtUrl("quickjs-worker.cjs"),
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
        readFile(builtUrl("quickjs.wasm")),
        readFile(builtUrl("quickjs-guest.js"), "utf8"),
      ]);
      return { module: await compileWasm(wasm), guest };
    } catch (error) {
      // The next worker tries again: descriptors may have been scarce.
      this.#parts = undefined;
      throw error;
    }
  }
}
