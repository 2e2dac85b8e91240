/** The two edges of `quickjs.wasm` from the package `quickjs-wasi` 3.6.2: what it exports to us, and all that it can reach. */

import type { WasmMemory } from "../base/web-assembly.ts";

/** Address of a value of the VM; 0 is none. */
export type Value = number;

/** The exports of `quickjs-wasi` 3.6.2 that are used. Sizes in bytes. */
export interface QuickjsExports {
  memory: WasmMemory;
  readonly [INITIALIZE]: () => void;
  wasm_malloc(size: number): number;
  wasm_free(address: number): void;
  qjs_init(): number;
  qjs_set_memory_limit(size: number): void;
  /** Writes 26 numbers of 64 bits, the bytes in use first. */
  qjs_compute_memory_usage(address: number): void;
  qjs_set_max_stack_size(size: number): void;
  qjs_set_interrupt_handler(on: number): void;
  qjs_set_promise_rejection_handler(on: number): void;
  qjs_eval(code: number, length: number, fileName: number, flags: number): Value;
  qjs_call(callee: Value, self: Value, count: number, args: number): Value;
  qjs_new_host_function(name: number, length: number, count: number): Value;
  qjs_new_string(text: number, length: number): Value;
  qjs_new_object(): Value;
  qjs_get_string_len(value: Value, length: number): number;
  qjs_free_cstring(text: number): void;
  qjs_is_string(value: Value): number;
  qjs_is_exception(value: Value): number;
  qjs_get_exception(): Value;
  qjs_throw(value: Value): void;
  qjs_get_global(): Value;
  qjs_get_undefined(): Value;
  qjs_get_true(): Value;
  qjs_get_false(): Value;
  qjs_get_prop_string(object: Value, key: number): Value;
  qjs_set_prop_string(object: Value, key: number, value: Value): number;
  qjs_dup_value(value: Value): Value;
  qjs_free_value(value: Value): void;
  qjs_is_job_pending(): number;
  qjs_execute_pending_job(): number;
}

/** Reactor start of WASI. */
export const INITIALIZE = "_initialize";

/** What the imports call. */
export interface ImportTarget {
  readonly memory: ArrayBuffer;
  readBytes(address: number, length: number): string;
  onCall(name: string, count: number, args: number): Value;
  shouldStop(): boolean;
  onRejection(promise: Value, reason: Value, isHandled: boolean): void;
}

/** WASI's "bad file descriptor". */
const BAD_DESCRIPTOR = 8;

/** What the build imports: our hooks, a clock, a time zone and random bytes. There is nothing else to reach. */
export function importsOf(vm: () => ImportTarget): object {
  const refuse = (): number => BAD_DESCRIPTOR;
  return {
    env: {
      host_call: (
        ...call: [name: number, length: number, self: Value, count: number, args: number]
      ): Value => {
        const [name, length, , count, args] = call;
        return vm().onCall(vm().readBytes(name, length), count, args);
      },
      host_interrupt: () => (vm().shouldStop() ? 1 : 0),
      host_promise_rejection: (promise: Value, reason: Value, isHandled: number) =>
        vm().onRejection(promise, reason, isHandled !== 0),
      host_module_normalize: () => 0,
      host_module_load: () => 0,
      host_get_timezone_offset: (high: number, low: number) => zoneSeconds(high * 2 ** 32 + (low >>> 0)),
    },
    wasi_snapshot_preview1: {
      clock_time_get: (clock: number, _precision: bigint, result: number) => {
        const ms = clock === 0 ? Date.now() : performance.now();
        new DataView(vm().memory).setBigUint64(result, BigInt(Math.round(ms * 1e6)), true);
        return 0;
      },
      random_get: (address: number, length: number) => {
        crypto.getRandomValues(new Uint8Array(vm().memory, address, length));
        return 0;
      },
      fd_close: refuse,
      fd_fdstat_get: refuse,
      fd_seek: refuse,
      fd_write: refuse,
    },
  };
}

const zoneSeconds = (seconds: number): number => {
  const minutes = new Date(seconds * 1000).getTimezoneOffset();
  return Number.isNaN(minutes) ? 0 : -minutes * 60;
};
