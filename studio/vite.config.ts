// vite.config.ts: how the page is built: one folder of static files that any host can serve.
import preact from "@preact/preset-vite";
import { defineConfig } from "vite";
import { compress } from "./compress.plugin.ts";
import { preview } from "./preview.plugin.ts";
import { offline } from "./offline.plugin.ts";
import { equations } from "./equations.plugin.ts";

export default defineConfig({
  base: "./", // works from any folder of any host
  plugins: [preact(), preview(), equations(), offline(), compress()],
  server: { fs: { allow: [".."] } }, // experiments/, whose presets the page shows
  worker: { format: "es" },
  build: { target: "es2022", assetsInlineLimit: 0, chunkSizeWarningLimit: 900 },
  test: { include: ["tests/**/*.test.ts"], environment: "node", testTimeout: 600_000, hookTimeout: 600_000 },
} as Parameters<typeof defineConfig>[0]);
