// env.d.ts: what the build adds to the language.
/// <reference types="vite/client" />
declare module "virtual:equations/*" {
  export const equations: Record<string, string>;
}
