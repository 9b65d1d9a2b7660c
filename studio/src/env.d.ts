// env.d.ts: types that the build adds.
/// <reference types="vite/client" />
declare module "virtual:equations/*" {
  export const equations: Record<string, string>;
}
