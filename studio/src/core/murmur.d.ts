// murmur.d.ts: the TypeScript types of the compiled core.

declare module "*/murmur.mjs" {
  export interface MurmurModule {
    HEAPU8: Uint8Array;
    UTF8ToString(pointer: number): string;
    _malloc(size: number): number;
    _free(pointer: number): void;
    _murmur_ask(request: number, bytes: number, size: number): number;
    _murmur_text(): number;
    _murmur_arrays(): number;
    _murmur_array(index: number): number;
    _murmur_array_bytes(index: number): number;
  }
  export interface MurmurOptions {
    wasmBinary?: ArrayBuffer | Uint8Array;
    locateFile?: (path: string) => string;
    print?: (text: string) => void;
    printErr?: (text: string) => void;
  }
  const factory: (options?: MurmurOptions) => Promise<MurmurModule>;
  export default factory;
}

declare module "*/murmur_words.mjs" {
  import type { MurmurModule, MurmurOptions } from "*/murmur.mjs";
  const factory: (options?: MurmurOptions) => Promise<MurmurModule>;
  export default factory;
}
