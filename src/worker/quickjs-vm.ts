/**
 * One QuickJS VM: an instance of the WebAssembly build of QuickJS that pi's own codemode uses, through its raw exports.
 * The VM is given numbers and texts only; no object of this side can be reached from inside.
 *
 * A `Value` is the address of a value on the VM's heap. Those that exports return are owned and freed by whoever asked.
 */

import { instantiateWasm, type WasmModule } from "../base/web-assembly.ts";
import {
  importsOf,
  type ImportTarget,
  INITIALIZE,
  type QuickjsExports,
  type Value,
} from "./quickjs-exports.ts";

/** What a VM may ask of this side. */
export interface VmHooks {
  /** Functions of the VM by name. Each is given one text and returns a value of the VM, or nothing; 0 = it threw in the VM. */
  functions: ReadonlyMap<string, (text: string) => Value | void>;
  /** Asked every few thousand steps; true ends what runs, uncatchably. */
  shouldStop(): boolean;
  /** Both values are freed afterwards. */
  onRejection(promise: Value, reason: Value, isHandled: boolean): void;
}

/** How much a VM may use, in bytes. */
export interface VmLimits {
  heapBytes: number;
  stackBytes: number;
}

/** Something thrown in the VM that nothing in it caught. `free` it after use. */
export class VmError extends Error {
  readonly value: Value;

  constructor(value: Value) {
    super("a program's error");
    this.value = value;
  }
}

/** Jobs run between two looks at `shouldStop`: one alone is too short for the engine to ask. */
const JOBS_PER_LOOK = 64;

const USAGE_BYTES = 26 * 8;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export class QuickjsVm implements ImportTarget {
  readonly #hooks: VmHooks;
  readonly #exports: QuickjsExports;
  /** Values that live as long as the VM. */
  #fixed = { undefined: 0, true: 0, false: 0, global: 0 };

  private constructor(exports: QuickjsExports, hooks: VmHooks) {
    this.#exports = exports;
    this.#hooks = hooks;
  }

  /** Makes a VM. Throws when there is no memory for one. */
  static async open(module: WasmModule, hooks: VmHooks, limits: VmLimits): Promise<QuickjsVm> {
    let vm: QuickjsVm | undefined;
    const { exports } = await instantiateWasm(
      module,
      importsOf(() => vm as QuickjsVm),
    );
    vm = new QuickjsVm(exports as unknown as QuickjsExports, hooks);
    vm.#start(limits);
    return vm;
  }

  #start({ heapBytes, stackBytes }: VmLimits): void {
    const exports = this.#exports;
    exports[INITIALIZE]();
    if (exports.qjs_init() !== 0) throw new Error("QuickJS could not be started");
    this.limitHeap(heapBytes);
    exports.qjs_set_max_stack_size(stackBytes);
    exports.qjs_set_interrupt_handler(1);
    exports.qjs_set_promise_rejection_handler(1);
    this.#fixed = {
      undefined: exports.qjs_get_undefined(),
      true: exports.qjs_get_true(),
      false: exports.qjs_get_false(),
      global: exports.qjs_get_global(),
    };
  }

  limitHeap(bytes: number): void {
    this.#exports.qjs_set_memory_limit(bytes);
  }

  /** Bytes of the heap in use. */
  get heapUsed(): number {
    const address = this.#exports.wasm_malloc(USAGE_BYTES);
    this.#exports.qjs_compute_memory_usage(address);
    const used = new DataView(this.memory).getBigInt64(address, true);
    this.#exports.wasm_free(address);
    return Number(used);
  }

  /** Not to be freed. */
  boolean(value: boolean): Value {
    return value ? this.#fixed.true : this.#fixed.false;
  }

  /** The global object; not to be freed. */
  get global(): Value {
    return this.#fixed.global;
  }

  /** Evaluates a script. Throws `VmError`. */
  evaluate(code: string, fileName: string): Value {
    return this.#checked(this.evaluateRaw(code, fileName));
  }

  /** The same for one that the VM itself asks for; 0 leaves what it threw to the VM. */
  evaluateRaw(code: string, fileName: string): Value {
    const source = this.#write(code);
    const name = this.#write(fileName);
    try {
      return this.#exports.qjs_eval(source.address, source.length, name.address, 0);
    } finally {
      this.#exports.wasm_free(source.address);
      this.#exports.wasm_free(name.address);
    }
  }

  isException(value: Value): boolean {
    return this.#exports.qjs_is_exception(value) !== 0;
  }

  /** Calls a function without `this` or a result. Throws `VmError`. */
  call(callee: Value, ...args: readonly Value[]): void {
    const exports = this.#exports;
    const list = args.length === 0 ? 0 : exports.wasm_malloc(args.length * 4);
    const view = new DataView(exports.memory.buffer);
    args.forEach((value, index) => view.setUint32(list + index * 4, value, true));
    try {
      this.free(this.#checked(exports.qjs_call(callee, this.#fixed.undefined, args.length, list)));
    } finally {
      if (list !== 0) exports.wasm_free(list);
    }
  }

  /** A new text in the VM. */
  text(text: string): Value {
    const { address, length } = this.#write(text);
    try {
      return this.#checked(this.#exports.qjs_new_string(address, length));
    } finally {
      this.#exports.wasm_free(address);
    }
  }

  /** A new object whose properties are the functions of the hooks and some texts. */
  hostObject(texts: Readonly<Record<string, string>>): Value {
    const object = this.#exports.qjs_new_object();
    for (const name of this.#hooks.functions.keys()) this.set(object, name, this.#hostFunction(name));
    for (const [name, text] of Object.entries(texts)) this.set(object, name, this.text(text));
    return object;
  }

  get(object: Value, key: string): Value {
    const name = this.#write(key);
    try {
      return this.#checked(this.#exports.qjs_get_prop_string(object, name.address));
    } finally {
      this.#exports.wasm_free(name.address);
    }
  }

  /** Sets a property and frees the value. */
  set(object: Value, key: string, value: Value): void {
    const name = this.#write(key);
    this.#exports.qjs_set_prop_string(object, name.address, value);
    this.#exports.wasm_free(name.address);
    this.free(value);
  }

  /** Another hold on a value, to be freed like the first. */
  copy(value: Value): Value {
    return this.#exports.qjs_dup_value(value);
  }

  free(value: Value): void {
    this.#exports.qjs_free_value(value);
  }

  get hasJobs(): boolean {
    return this.#exports.qjs_is_job_pending() !== 0;
  }

  /** Runs jobs until none is left. Throws `VmError` when one is given up, and at once when the hooks say stop. */
  runJobs(): void {
    const exports = this.#exports;
    for (let done = 0; exports.qjs_is_job_pending() !== 0; done += 1) {
      if (done % JOBS_PER_LOOK === 0 && this.#hooks.shouldStop()) return;
      if (exports.qjs_execute_pending_job() < 0) throw new VmError(exports.qjs_get_exception());
    }
  }

  /** A text of the VM; undefined when there is no memory for a copy of it, which the VM has then thrown. */
  #read(value: Value): string | undefined {
    const exports = this.#exports;
    const length = exports.wasm_malloc(4);
    const address = exports.qjs_get_string_len(value, length);
    const text = address === 0 ? undefined : this.readBytes(address, this.#uint32(length));
    if (address !== 0) exports.qjs_free_cstring(address);
    exports.wasm_free(length);
    return text;
  }

  readBytes(address: number, length: number): string {
    return decoder.decode(new Uint8Array(this.#exports.memory.buffer, address, length));
  }

  get memory(): ArrayBuffer {
    return this.#exports.memory.buffer;
  }

  /** A function of the hooks is called: 0 when it throws in the VM. What is no text is not looked at. */
  onCall(name: string, count: number, args: number): Value {
    const run = this.#hooks.functions.get(name);
    const given = count === 0 ? 0 : this.#uint32(args);
    const none = (): Value => this.copy(this.#fixed.undefined);
    if (!run || given === 0 || this.#exports.qjs_is_string(given) === 0) return none();
    const text = this.#read(given);
    if (text === undefined) return 0;
    try {
      return run(text) ?? none();
    } catch (error) {
      // A throw across the VM's own frames would leave it in pieces.
      const thrown = error instanceof VmError ? error.value : this.text("the engine failed");
      this.#exports.qjs_throw(thrown);
      this.free(thrown);
      return 0;
    }
  }

  shouldStop(): boolean {
    return this.#hooks.shouldStop();
  }

  onRejection(promise: Value, reason: Value, isHandled: boolean): void {
    this.#hooks.onRejection(promise, reason, isHandled);
    this.free(promise);
    this.free(reason);
  }

  #hostFunction(name: string): Value {
    const { address, length } = this.#write(name);
    const value = this.#exports.qjs_new_host_function(address, length, 0);
    this.#exports.wasm_free(address);
    return value;
  }

  #checked(value: Value): Value {
    if (!this.isException(value)) return value;
    this.free(value);
    throw new VmError(this.#exports.qjs_get_exception());
  }

  #uint32(address: number): number {
    return new DataView(this.#exports.memory.buffer).getUint32(address, true);
  }

  /** Copies a text in; the bytes are followed by a zero. */
  #write(text: string): { address: number; length: number } {
    const bytes = encoder.encode(text);
    const address = this.#exports.wasm_malloc(bytes.length + 1);
    if (address === 0) throw new RangeError("the VM has no room for a text of pi");
    const memory = new Uint8Array(this.#exports.memory.buffer);
    memory.set(bytes, address);
    memory[address + bytes.length] = 0;
    return { address, length: bytes.length };
  }
}
