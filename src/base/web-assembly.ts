/** The part of `WebAssembly` that is used, which the language's own declarations leave out. */

/** A compiled module: may be sent to threads, which then share its code. */
export type WasmModule = object & { readonly isModule?: never };

/** Memory of an instance. `buffer` is another one after it grew. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer;
}

interface WebAssemblyPart {
  compile(bytes: Uint8Array): Promise<WasmModule>;
  instantiate(module: WasmModule, imports: object): Promise<{ exports: object }>;
}

export const { compile: compileWasm, instantiate: instantiateWasm } = (
  globalThis as unknown as { WebAssembly: WebAssemblyPart }
).WebAssembly;
